//! Reads the answers of models, for all providers and transports.
//!
//! ```text
//! bytes ─▶ framing: JSON, server-sent events, JSON lines, AWS event stream ─▶ a provider's file: the whole answer ─▶ ModelAnswer
//! ```
//!
//! A streamed answer is assembled into the answer that the provider would have sent without streaming, and read like
//! that. Input from the network is never trusted: events that are not JSON are skipped with a note, and a truncated
//! stream results in the part that arrived.

mod answer;
mod bedrock;
mod cohere;
mod event_stream;
mod framing;
mod gemini;
mod messages;
mod model;
mod ollama;
mod openai_chat;
mod pieces;
mod read;
mod responses;
mod scripted;

pub use answer::{AnswerCall, AnswerUsage, ModelAnswer, ProviderTool, WireApi, parse_arguments};
pub use messages::MessagesAssembly;
pub use model::{model_in_path, requested_model};
pub use openai_chat::ChatAssembly;
pub use read::{read_answer, read_whole};
pub use scripted::{ModelReply, PacedAnswer, ScriptedModel};

#[cfg(test)]
mod tests;
