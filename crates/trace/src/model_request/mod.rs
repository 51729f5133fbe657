//! What an agent asked of its model, whichever provider the request was made for.
//!
//! `Kind::ModelCall` holds a request and its answer as JSON. A [`ModelRequest`] is the same in one shape: `OpenAI`'s chat
//! completions and Responses, Anthropic's Messages, Cohere's and Ollama's chat, Gemini's contents and Bedrock's Converse all have a system prompt, messages, tools
//! that are offered, and an answer that may ask for calls of them. An answer that was streamed is kept whole.

mod answer;
mod attempts;
mod body;
mod content;
mod request;
mod requests;

pub use attempts::ModelAttempts;
pub use body::{OfferedTool, RequestMessage};
pub use request::{Continued, ModelRequest, RequestedCall};
