//! Decodes bytes to events.

use bytes::{Bytes, BytesMut};
use memchr::memchr2;

use super::fields::SseFields;

/// An event of a stream.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SseEvent {
    /// The event name.
    pub event: Option<String>,
    /// The last id since the previous event; an empty one resets earlier ids.
    pub id: Option<String>,
    /// The reconnection time in milliseconds, if it was sent since the previous event.
    pub retry: Option<u64>,
    /// Its data, with lines joined by a line feed.
    pub data: String,
    /// The bytes of the stream since the previous event, including comments and blank lines.
    pub raw: Bytes,
    /// Whether bytes that are not UTF-8 were replaced.
    pub lossy: bool,
    /// Whether the stream ended without the blank line that ends an event.
    pub unfinished: bool,
    /// Whether the stream ended within the event's last line.
    pub torn: bool,
}

/// Why there is no next event. The error is final.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SseError {
    /// An event exceeds the limit, including the bytes between it and the previous event.
    #[error("an event of the stream is larger than {limit} bytes")]
    TooLarge {
        /// The limit, in bytes.
        limit: usize,
    },
}

/// Decodes events from bytes that arrive in pieces. The boundaries of the pieces make no difference.
#[derive(Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub struct Decoder {
    /// The bytes since the last event.
    buffer: BytesMut,
    /// The start of the current line.
    line: usize,
    /// How far the buffer was searched for a line end.
    searched: usize,
    /// Whether the last line ended with a carriage return, which a line feed may follow.
    after_return: bool,
    /// Whether the first line, which may start with a byte order mark, was read.
    begun: bool,
    fields: SseFields,
    limit: usize,
    failed: bool,
    without_raw: bool,
    /// The start of the line in which the stream ended.
    torn: Option<usize>,
}

impl Decoder {
    /// Decodes events of at most `limit` bytes.
    pub fn new(limit: usize) -> Self {
        Self { limit, ..Self::default() }
    }

    /// Leaves `raw` of events empty, which is cheaper.
    #[must_use]
    pub fn without_raw(mut self) -> Self {
        self.without_raw = true;
        self
    }

    /// Adds the next bytes of the stream.
    pub fn push(&mut self, bytes: &[u8]) {
        self.buffer.extend_from_slice(bytes);
    }

    /// The next complete event; `None` if more bytes are needed.
    #[expect(clippy::should_implement_trait, reason = "an iterator that goes on after `None` would mislead")]
    pub fn next(&mut self) -> Result<Option<SseEvent>, SseError> {
        while !self.failed {
            self.skip_line_feed();
            let Some(found) = memchr2(b'\r', b'\n', &self.buffer[self.searched..]) else {
                self.searched = self.buffer.len();
                self.failed = self.searched > self.limit;
                if self.failed {
                    break;
                }
                return Ok(None);
            };
            let end = self.searched + found;
            self.after_return = self.buffer[end] == b'\r';
            if self.take_line(end) && self.fields.complete() {
                return self.cut(end + 1, false).map(Some);
            }
        }
        Err(SseError::TooLarge { limit: self.limit })
    }

    /// Handles the end of the stream: returns the remaining events, the last of which may be unfinished. Call it until
    /// `None`; then [`Decoder::rest`] contains the bytes that are not an event.
    pub fn finish(&mut self) -> Option<SseEvent> {
        match self.next() {
            Ok(None) => {}
            Ok(Some(frame)) => return Some(frame),
            Err(_) => return None,
        }
        if self.line < self.buffer.len() {
            // A comment cannot be incomplete.
            self.torn = Some(self.line).filter(|line| self.buffer[*line] != b':');
            self.take_line(self.buffer.len());
            // This line has no line end to skip.
            self.line = self.buffer.len();
            self.searched = self.line;
        }
        if !self.fields.complete() {
            return None;
        }
        let torn = self.torn.take().is_some();
        self.cut(self.buffer.len(), true).ok().map(|frame| SseEvent { torn, ..frame })
    }

    /// The incomplete last line of a stream that is over, if it belongs to no event and is not a comment.
    pub fn torn_line(&self) -> Option<&[u8]> {
        self.buffer.get(self.torn?..).filter(|line| !line.trim_ascii().is_empty())
    }

    /// The bytes since the last event.
    pub fn rest(&self) -> &[u8] {
        &self.buffer
    }

    /// Skips a line feed after a carriage return, which belongs to the previous line.
    fn skip_line_feed(&mut self) {
        if self.after_return && self.line < self.buffer.len() {
            self.after_return = false;
            if self.buffer[self.line] == b'\n' {
                self.line += 1;
                self.searched = self.line;
            }
        }
    }

    /// Reads the line that ends here; returns whether it is blank.
    fn take_line(&mut self, end: usize) -> bool {
        let mut line = &self.buffer[self.line..end];
        if !self.begun {
            self.begun = true;
            line = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line);
        }
        let blank = line.is_empty();
        if !blank {
            self.fields.take(line);
        }
        self.line = end + 1;
        self.searched = end + 1;
        blank
    }

    /// Cuts the event that ends before `end`.
    fn cut(&mut self, end: usize, unfinished: bool) -> Result<SseEvent, SseError> {
        self.failed = end > self.limit;
        if self.failed {
            return Err(SseError::TooLarge { limit: self.limit });
        }
        let raw = self.buffer.split_to(end);
        let raw = if self.without_raw { Bytes::new() } else { raw.freeze() };
        self.line = 0;
        self.searched = 0;
        Ok(SseEvent { raw, unfinished, ..self.fields.hand_out() })
    }
}
