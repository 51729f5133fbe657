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
#[path = "assistant/calendar.rs"]
mod calendar;
mod completion;
#[path = "assistant/context.rs"]
mod context;
mod conversation;
#[path = "assistant/create_hook.rs"]
mod create_hook;
mod driver;
#[path = "assistant/hooks.rs"]
mod hooks;
mod message;
pub(crate) mod openai;
mod output;
pub(crate) mod outside;
#[path = "assistant/prompts.rs"]
mod prompts;
mod refusal;
mod retry;
mod scripted;
mod session;
#[path = "assistant/variables.rs"]
mod variables;

pub(crate) use completion::{Broken, Completion, Piece, cut_short};
pub(crate) use driver::ChatDriver;
pub use scripted::{NoResources, Resources, ScriptedCall, ScriptedModel, ScriptedReply, ScriptedSpeech};

#[cfg(test)]
mod tests;
