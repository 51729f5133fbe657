//! What reads the words of others, within reach of the fuzz targets; no part of the library.

use crate::chat::AnswerReader;
use crate::chat::anthropic::AnthropicReader;
use crate::chat::openai::OpenAiReader;
use crate::{http, process};

/// A line of an agent that is a process; whether it was understood.
pub fn process_line(line: &[u8]) -> bool {
    process::understands(line)
}

/// The answer of a model, of `OpenAI` or else of Anthropic: the data of events, one a line, or one that comes whole.
pub fn chat_answer(of_openai: bool, streamed: bool, text: &str) -> bool {
    let mut reader: Box<dyn AnswerReader> =
        if of_openai { Box::<OpenAiReader>::default() } else { Box::<AnthropicReader>::default() };
    if !streamed {
        let answer = serde_json::from_str(text).unwrap_or_default();
        return reader.whole(&answer).is_ok() && reader.finish().is_ok();
    }
    for data in text.lines() {
        if reader.event(data).is_err() || reader.is_over() {
            break;
        }
    }
    reader.finish().is_ok()
}

/// The answer of an agent over plain HTTP, read in each of the ways it may come.
pub fn http_answer(body: &[u8]) {
    http::fuzzing::answer(body);
}
