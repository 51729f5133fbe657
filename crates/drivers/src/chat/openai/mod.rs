//! OpenAI's Chat Completions, as it and all those who imitate it speak them.

mod reader;
mod request;

pub(crate) use reader::OpenAiReader;
pub(super) use request::body;
