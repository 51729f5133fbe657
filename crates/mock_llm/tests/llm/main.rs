//! Tests of the scripted model over a real socket, with a plain HTTP client.

#![expect(clippy::unwrap_used, reason = "what does not hold here is a failed test")]

mod client;
#[path = "../../../stubs/tests/raw/mod.rs"]
mod raw;

mod anthropic;
mod azure;
mod control;
mod functions;
mod gemini;
mod hostile;
mod observed;
mod ollama;
mod openai;
mod pace;
mod script;
mod steps;
mod strict;
