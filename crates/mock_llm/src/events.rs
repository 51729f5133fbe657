//! The events of a stream in one buffer, with a mark after each event that has the number of tokens so far.

use std::time::Duration;

use bytes::Bytes;
use serde::Serialize;
use serde_json::Value;

use agentci_wire::serve::PieceEnd;

/// How the events of a stream are separated.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Framing {
    /// Server-sent events.
    #[default]
    Events,
    /// JSON lines.
    Lines,
    /// Items of one JSON list.
    List,
}

impl Framing {
    pub(super) fn content_type(self) -> &'static str {
        match self {
            Framing::Events => "text/event-stream; charset=utf-8",
            Framing::Lines => "application/x-ndjson",
            Framing::List => "application/json; charset=UTF-8",
        }
    }
}

/// Bytes to reserve: enough for the events of most answers.
const USUAL_SIZE: usize = 8 * 1024;

#[derive(Debug)]
pub(super) struct AnswerEvents {
    framing: Framing,
    bytes: Vec<u8>,
    marks: Vec<PieceEnd>,
    tokens: u32,
}

impl Default for AnswerEvents {
    fn default() -> Self {
        Self::framed(Framing::default())
    }
}

impl AnswerEvents {
    pub(super) fn framed(framing: Framing) -> Self {
        Self { framing, bytes: Vec::with_capacity(USUAL_SIZE), marks: Vec::with_capacity(32), tokens: 0 }
    }

    /// Adds an event without a name.
    pub(super) fn data(&mut self, data: &impl Serialize) {
        self.begin();
        self.end(data);
    }

    /// Adds an event without a name: an object with the fields of `head`, which is one in JSON, and those of `data`.
    pub(super) fn data_after(&mut self, head: &[u8], data: &impl Serialize) {
        self.begin();
        self.bytes.extend_from_slice(head.strip_suffix(b"}").expect("an object ends with a brace"));
        let joint = self.bytes.len();
        self.end(data);
        self.bytes[joint] = b',';
    }

    /// Adds tokens to the count of the following events.
    pub(super) fn tokens(&mut self, count: u32) {
        self.tokens = self.tokens.saturating_add(count);
    }

    /// Ends the stream.
    pub(super) fn close(&mut self) {
        if self.framing == Framing::List {
            self.bytes.push(b']');
            if let Some(last) = self.marks.last_mut() {
                last.end += 1;
            }
        }
    }

    /// Adds an event whose name is the `type` in its data.
    pub(super) fn typed(&mut self, data: &Value) {
        self.named(data["type"].as_str().unwrap_or_default(), data);
    }

    /// Adds an event with a name.
    pub(super) fn named(&mut self, name: &str, data: &Value) {
        self.bytes.extend_from_slice(b"event: ");
        self.bytes.extend_from_slice(name.as_bytes());
        self.bytes.extend_from_slice(b"\ndata: ");
        self.end(data);
    }

    /// Replaces the last event by one copy per token, with the token in place of the last empty string.
    pub(super) fn say_like_last<'t>(&mut self, tokens: impl Iterator<Item = &'t str>) {
        let last = self.marks.pop().map_or(0, |mark| mark.end);
        let start = self.marks.last().map_or(0, |mark| mark.end);
        let event = self.bytes.split_off(start);
        debug_assert_eq!(event.len(), last - start, "nothing follows the last mark");
        let empty = event.windows(3).rposition(|three| three == b":\"\"");
        let (before, after) = empty.map_or((event.as_slice(), &[][..]), |at| (&event[..=at], &event[at + 3..]));
        for token in tokens {
            self.tokens(1);
            self.bytes.extend_from_slice(before);
            let _ = serde_json::to_writer(&mut self.bytes, token);
            self.bytes.extend_from_slice(after);
            self.marks.push(PieceEnd { end: self.bytes.len(), tokens: self.tokens, after: Duration::ZERO });
        }
    }

    /// Adds an event whose data is not JSON.
    pub(super) fn raw(&mut self, data: &str) {
        self.begin();
        self.bytes.extend_from_slice(data.as_bytes());
        self.mark();
    }

    fn begin(&mut self) {
        let before: &[u8] = match self.framing {
            Framing::Events => b"data: ",
            Framing::Lines => b"",
            Framing::List if self.bytes.is_empty() => b"[",
            Framing::List => b",\r\n",
        };
        self.bytes.extend_from_slice(before);
    }

    fn end(&mut self, data: &impl Serialize) {
        // Writing our own values to memory cannot fail.
        let _ = serde_json::to_writer(&mut self.bytes, data);
        self.mark();
    }

    fn mark(&mut self) {
        let after: &[u8] = match self.framing {
            Framing::Events => b"\n\n",
            Framing::Lines => b"\n",
            Framing::List => b"",
        };
        self.bytes.extend_from_slice(after);
        self.marks.push(PieceEnd { end: self.bytes.len(), tokens: self.tokens, after: Duration::ZERO });
    }

    /// Drops the second half of the events.
    pub(super) fn halve(&mut self) {
        self.marks.truncate(self.marks.len().div_ceil(2));
        self.bytes.truncate(self.marks.last().map_or(0, |mark| mark.end));
    }

    pub(super) fn into_parts(self) -> (Bytes, Vec<PieceEnd>) {
        (self.bytes.into(), self.marks)
    }
}
