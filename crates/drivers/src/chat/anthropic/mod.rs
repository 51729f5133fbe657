//! Anthropic's Messages: the conversation is put into their shape, the answer taken out of it.

mod content;
mod options;
mod reader;
mod request;

pub(crate) use reader::AnthropicReader;
pub(super) use request::body;
