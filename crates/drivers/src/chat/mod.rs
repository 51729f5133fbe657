//! An agent that is prompts before a conversation and a model that goes on with it: here we are the one who asks the model.
//!
//! ```text
//! turn ─▶ prompts ─▶ request ─▶ the model, streamed ─▶ tools ─▶ request ─▶ .. ─▶ the result
//! ```
//!
//! What is asked and what counts as the result is up to the runtime in `assistant`; nothing else here knows its hooks, presets
//! and variables.
//!
//! A conversation has the shape of OpenAI's Chat Completions everywhere; only `anthropic` knows of another. Requests go over
//! the [`Line`](agentci_exchange::AgentLine), so that they can be recorded and replayed, except to a scripted model, which is in this program.

pub(crate) mod anthropic;
mod ask;
mod assistant;
mod completion;
mod conversation;
mod driver;
mod message;
pub(crate) mod openai;
mod output;
mod refusal;
mod retry;
mod scripted;
mod session;

pub(crate) use completion::{AnswerReader, Completion, CompletionError, cut_short, finish_word, parse_arguments};
pub(crate) use driver::ChatDriver;
pub use scripted::{NoResources, Resources, ScriptedModel, ScriptedReply, ScriptedSpeech, ScriptedToolCall};

#[cfg(test)]
mod tests;
