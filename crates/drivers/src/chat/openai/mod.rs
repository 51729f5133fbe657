//! OpenAI's Chat Completions, also for compatible servers.

mod reader;
mod request;

pub(crate) use reader::OpenAiReader;
pub(super) use request::body;
