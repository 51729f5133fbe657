//! Agents that consist of prompts and a model, with the project's mock model over a real socket and in this process.

#![expect(clippy::unwrap_used, reason = "what does not hold here is a failed test")]

mod agent;

mod functions;
mod models;
mod prompts;
mod recorded;
mod scripted;
