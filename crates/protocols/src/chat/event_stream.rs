//! Reads AWS event streams (`application/vnd.amazon.eventstream`), as Bedrock sends them.
//!
//! A message is `length (4), length of headers (4), checksum (4), headers, payload, checksum (4)`, numbers big-endian.
//! Checksums are not verified: TLS protects the bytes, and the agent's client verifies them itself.

use serde_json::{Map, Value, json};

/// The size of a message without its headers and payload.
const FRAME: usize = 16;

/// The events of a stream as `{ "<event type>": payload }`, and whether it was truncated within a message. The payload
/// of an exception is at `error`.
pub(super) fn events(mut bytes: &[u8], notes: &mut Vec<String>) -> (Vec<Value>, bool) {
    let mut events = Vec::new();
    while !bytes.is_empty() {
        let number = |at: usize| {
            let four = bytes.get(at..at + 4).and_then(|four| four.try_into().ok());
            four.map(|four| usize::try_from(u32::from_be_bytes(four)).unwrap_or(usize::MAX))
        };
        let (Some(length), Some(headers)) = (number(0), number(4)) else { return (events, true) };
        if length < FRAME || headers > length - FRAME {
            notes.push("a message of the event stream has a wrong length".into());
            return (events, true);
        }
        let Some((message, rest)) = bytes.split_at_checked(length) else { return (events, true) };
        bytes = rest;
        let (head, payload) = message[12..length - 4].split_at(headers);
        match serde_json::from_slice::<Value>(payload) {
            Ok(payload) => events.extend(event(head, payload)),
            Err(_) if payload.is_empty() => {}
            Err(_) => notes.push("an event of the stream is not JSON".into()),
        }
    }
    (events, false)
}

fn event(head: &[u8], payload: Value) -> Option<Value> {
    if let Some(kind) = header(head, ":exception-type").or_else(|| header(head, ":error-code")) {
        let message = payload.get("message").and_then(Value::as_str).unwrap_or_default();
        return Some(json!({ "error": { "type": kind, "message": message } }));
    }
    let kind = header(head, ":event-type")?;
    Some(Map::from_iter([(kind.to_owned(), payload)]).into())
}

/// The value of a header; Bedrock's streams have only string headers.
fn header<'h>(mut head: &'h [u8], wanted: &str) -> Option<&'h str> {
    loop {
        let (length, rest) = head.split_first()?;
        let (name, rest) = rest.split_at_checked(usize::from(*length))?;
        let (kind, rest) = rest.split_first()?;
        if *kind != 7 {
            return None;
        }
        let (length, rest) = rest.split_at_checked(2)?;
        let length = usize::from(u16::from_be_bytes([length[0], length[1]]));
        let (value, rest) = rest.split_at_checked(length)?;
        if name == wanted.as_bytes() {
            return std::str::from_utf8(value).ok();
        }
        head = rest;
    }
}
