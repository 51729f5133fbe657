//! The answers of models, read whatever provider gave them and however they travelled.
//!
//! ```text
//! bytes ─▶ framing: JSON, server-sent events, JSON lines, AWS event stream ─▶ a provider's file: the whole answer ─▶ ModelAnswer
//! ```
//!
//! A streamed answer is put together to what the provider would have sent at once, and read like that. What comes from a network
//! is never trusted: events that are not JSON are skipped with a note, and a stream that breaks off gives what came before.

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

pub use answer::{AnswerCall, AnswerUsage, ModelAnswer, ProviderTool, WireApi};
pub use model::{model_in_path, requested_model};
pub use read::read_answer;

#[cfg(test)]
mod tests;
