//! An agent that is prompts before a conversation and a model that goes on with it: here we are the one who asks the model.
//!
//! ```text
//! turn ─▶ Create ─▶ prompts, their variables put in ─▶ request ─▶ the model, streamed ─▶ tools ─▶ .. ─▶ Next ─▶ the result
//! ```
//!
//! A conversation has the shape of OpenAI's Chat Completions everywhere; only `anthropic` knows of another. Requests go over
//! the [`Line`](crate::Line), so that they can be recorded and replayed, except to a scripted model, which is in this program.

pub(crate) mod anthropic;
mod ask;
mod calendar;
mod completion;
mod created;
mod driver;
mod hooks;
mod message;
pub(crate) mod openai;
mod output;
pub(crate) mod outside;
mod prompts;
mod refusal;
mod retry;
mod scripted;
mod seat;
mod setting;
mod talk;
mod variables;

pub(crate) use completion::{Broken, Completion, Piece, cut_short};
pub(crate) use driver::ChatDriver;
pub use scripted::{NoResources, Resources, ScriptedCall, ScriptedModel, ScriptedReply, ScriptedSpeech};

#[cfg(test)]
mod tests;
