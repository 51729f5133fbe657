//! Splits the bytes of an answer into JSON: one value, or events.

use serde_json::Value;

use super::event_stream;
use crate::sse::{Decoder, EVENT_LIMIT};

/// The limit on the bytes that are read of an answer.
const ANSWER_LIMIT: usize = 64 << 20;

/// The content of an answer.
#[derive(Debug)]
pub(super) enum Framed {
    /// One JSON value.
    Whole(Value),
    /// Events, and how the stream ended.
    Events(Vec<Value>, StreamEnd),
    /// Text that is not JSON, as gateways send with an error.
    Text(String),
}

/// How a stream of events ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StreamEnd {
    /// After a complete event.
    Open,
    Done,
    /// In the middle of an event.
    Torn,
}

/// Reads an answer. Its format is detected from the bytes, which are more reliable than a gateway's `content-type`.
pub(super) fn read<'b>(
    content_type: &str,
    pieces: impl IntoIterator<Item = &'b [u8]>,
    notes: &mut Vec<String>,
) -> Framed {
    let bytes = joined(pieces, notes);
    let begins = |word: &[u8]| bytes.trim_ascii_start().starts_with(word);
    if content_type.contains("amazon.eventstream") || bytes.first() == Some(&0) {
        let (events, torn) = event_stream::events(&bytes, notes);
        return Framed::Events(events, if torn { StreamEnd::Torn } else { StreamEnd::Open });
    }
    if [&b"data:"[..], b"event:", b"id:", b"retry:", b":"].iter().any(|word| begins(word)) {
        return sse(&bytes, notes);
    }
    match serde_json::from_slice(&bytes) {
        // Without `alt=sse`, Gemini streams one list.
        Ok(Value::Array(events)) => Framed::Events(events, StreamEnd::Open),
        Ok(value) => Framed::Whole(value),
        Err(_) if begins(b"{") && (content_type.contains("ndjson") || begins_with_line(&bytes)) => lines(&bytes, notes),
        Err(_) if begins(b"[") => list(&bytes, notes),
        Err(_) => Framed::Text(String::from_utf8_lossy(&bytes).into_owned()),
    }
}

fn joined<'b>(pieces: impl IntoIterator<Item = &'b [u8]>, notes: &mut Vec<String>) -> Vec<u8> {
    let mut bytes = Vec::new();
    for piece in pieces {
        let room = ANSWER_LIMIT - bytes.len();
        if piece.len() > room {
            notes.push(format!("only the first {} MiB of the answer are read", ANSWER_LIMIT >> 20));
            bytes.extend_from_slice(&piece[..room]);
            break;
        }
        bytes.extend_from_slice(piece);
    }
    bytes
}

fn sse(bytes: &[u8], notes: &mut Vec<String>) -> Framed {
    let mut decoder = Decoder::new(EVENT_LIMIT).without_raw();
    decoder.push(bytes);
    let (mut events, mut ended) = (Vec::new(), StreamEnd::Open);
    while let Some(frame) = decoder.finish() {
        let data = frame.data.trim();
        if data == "[DONE]" {
            ended = StreamEnd::Done;
        } else if !data.is_empty() {
            match serde_json::from_str(data) {
                Ok(event) => events.push(event),
                Err(_) if frame.torn || frame.unfinished => ended = StreamEnd::Torn,
                Err(_) => note(notes, "an event of the stream is not JSON"),
            }
        }
    }
    if decoder.torn_line().is_some() {
        ended = StreamEnd::Torn;
    }
    Framed::Events(events, ended)
}

/// Whether the first line is a complete JSON value.
fn begins_with_line(bytes: &[u8]) -> bool {
    let line = bytes.split(|byte| *byte == b'\n').next().expect("a split has a first part");
    line.len() < bytes.len() && serde_json::from_slice::<serde::de::IgnoredAny>(line).is_ok()
}

fn lines(bytes: &[u8], notes: &mut Vec<String>) -> Framed {
    let (mut events, mut ended) = (Vec::new(), StreamEnd::Open);
    let mut lines = bytes.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty()).peekable();
    while let Some(line) = lines.next() {
        match serde_json::from_slice(line) {
            Ok(event) => events.push(event),
            Err(_) if lines.peek().is_none() => ended = StreamEnd::Torn,
            Err(_) => note(notes, "a line of the stream is not JSON"),
        }
    }
    Framed::Events(events, ended)
}

/// The complete items of a truncated list.
fn list(bytes: &[u8], notes: &mut Vec<String>) -> Framed {
    let mut rest = bytes.trim_ascii_start().strip_prefix(b"[").expect("a list begins with a bracket");
    let mut events = Vec::new();
    loop {
        let mut items = serde_json::Deserializer::from_slice(rest).into_iter::<Value>();
        let Some(Ok(item)) = items.next() else { break };
        events.push(item);
        let read = items.byte_offset();
        rest = rest[read..].trim_ascii_start();
        rest = rest.strip_prefix(b",").unwrap_or(rest);
    }
    if events.is_empty() {
        note(notes, "the answer is not JSON");
    }
    Framed::Events(events, StreamEnd::Torn)
}

/// Adds a note once.
fn note(notes: &mut Vec<String>, what: &str) {
    if !notes.iter().any(|known| known == what) {
        notes.push(what.into());
    }
}
