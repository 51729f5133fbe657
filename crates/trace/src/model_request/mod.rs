//! Model requests of an agent, in one shape for all providers.
//!
//! `EventKind::ModelCall` contains a request and its answer as JSON. A [`ModelRequest`] is the same in one shape:
//! `OpenAI`'s chat completions and Responses, Anthropic's Messages, Cohere's and Ollama's chat, Gemini's contents and
//! Bedrock's Converse all have a system prompt, messages, offered tools, and an answer that may request calls of them.
//! A streamed answer is stored as a whole.

mod answer;
mod attempts;
mod body;
mod content;
mod parameters;
mod request;
mod requests;

pub use attempts::ModelAttempts;
pub use body::{OfferedTool, RequestMessage};
pub use parameters::request_parameters;
pub use request::{Continued, ModelRequest, RequestedCall};
