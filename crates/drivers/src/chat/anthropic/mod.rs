//! Anthropic's Messages API: converts the conversation to a request and reads the answer.

mod content;
mod options;
mod reader;
mod request;

pub(crate) use reader::AnthropicReader;
pub(super) use request::body;
