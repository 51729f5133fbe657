//! Entry points of the fuzz targets to the parsers of untrusted input; not part of the public API.

use crate::chat::AnswerReader;
use crate::chat::anthropic::AnthropicReader;
use crate::chat::openai::OpenAiReader;
use crate::{http, process};

/// Reads a line of a process agent; returns whether it is valid.
pub fn process_line(line: &[u8]) -> bool {
    process::understands(line)
}

/// Reads the answer of a model of `OpenAI` or Anthropic: the data of events, one per line, or a whole answer.
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

/// Reads the answer of an HTTP agent in every supported format.
pub fn http_answer(body: &[u8]) {
    http::fuzzing::answer(body);
}
