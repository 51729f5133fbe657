//! Drives agents that consist of prompts and a model: agentci itself calls the model.
//!
//! ```text
//! turn ─▶ prompts ─▶ request ─▶ the model, streamed ─▶ tools ─▶ request ─▶ .. ─▶ the result
//! ```
//!
//! The runtime in `assistant` decides on the request and the result; nothing else here depends on its hooks, presets
//! and variables.
//!
//! A conversation is in the format of OpenAI's Chat Completions everywhere; only `anthropic` converts it. Requests are
//! sent over the [`AgentLine`](agentci_exchange::AgentLine), so that they can be recorded and replayed, except to a
//! scripted model, which is part of this program.

pub(crate) mod anthropic;
mod assistant;
mod completion;
mod conversation;
mod driver;
mod message;
mod model_request;
pub(crate) mod openai;
mod output;
mod refusal;
mod retry;
mod scripted;
mod session;

pub(crate) use completion::{AnswerReader, Completion, CompletionError, cut_short, finish_word, provided};
pub(crate) use driver::ChatDriver;
pub use scripted::{NoResources, Resources};

#[cfg(test)]
mod tests;
