//! What reads the words of others, within reach of the fuzz targets; no part of the library.

use serde_json::Value;

use crate::{chat, http, process};

/// A line of an agent that is a process; whether it was understood.
pub fn process_line(line: &[u8]) -> bool {
    process::understands(line)
}

/// The answer of a model, of `OpenAI` or else of Anthropic: the data of events, one a line, or one that comes whole.
pub fn chat_answer(of_openai: bool, streamed: bool, text: &str) -> bool {
    if streamed {
        return chat::fuzzing::streamed(of_openai, text.lines());
    }
    chat::fuzzing::whole(of_openai, &serde_json::from_str::<Value>(text).unwrap_or_default())
}

/// The answer of an agent over plain HTTP, read in each of the ways it may come.
pub fn http_answer(body: &[u8]) {
    http::fuzzing::answer(body);
}
