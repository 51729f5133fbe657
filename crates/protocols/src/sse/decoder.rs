//! From bytes to events.

use bytes::{Bytes, BytesMut};
use memchr::memchr2;

use super::fields::SseFields;

/// An event of a stream.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SseEvent {
    /// What kind of event it calls itself.
    pub event: Option<String>,
    /// The last id that was given since the event before it; an empty one takes back the ids before.
    pub id: Option<String>,
    /// After how many milliseconds a client should come back, if the stream said so since the event before it.
    pub retry: Option<u64>,
    /// Its data, lines joined by a line feed.
    pub data: String,
    /// The bytes of the stream since the event before it, comments and blank lines included.
    pub raw: Bytes,
    /// Whether bytes that are no UTF-8 were replaced.
    pub lossy: bool,
    /// Whether the stream ended before the blank line that ends an event.
    pub unfinished: bool,
    /// Whether the stream ended even before the end of the event's last line.
    pub torn: bool,
}

/// Why there is no next event; there is none after it either.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SseError {
    /// An event goes on beyond the limit, what stands between it and the event before it counted.
    #[error("an event of the stream is larger than {limit} bytes")]
    TooLarge {
        /// The most bytes an event may have.
        limit: usize,
    },
}

/// Reads events from bytes that come in pieces. Where the pieces are cut makes no difference.
#[derive(Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub struct Decoder {
    /// What came since the last event; and events that were handed out, where their bytes are not asked for.
    buffer: BytesMut,
    /// Where in it the present line begins.
    line: usize,
    /// How far it was searched for a line end.
    searched: usize,
    /// Whether the last line ended in a carriage return, to which a line feed may still belong.
    after_return: bool,
    /// Whether the first line, which may begin with a byte order mark, is behind us.
    begun: bool,
    fields: SseFields,
    limit: usize,
    failed: bool,
    without_raw: bool,
    /// Where the line begins that the stream ended in.
    torn: Option<usize>,
}

impl Decoder {
    /// Reads events of at most `limit` bytes.
    pub fn new(limit: usize) -> Self {
        Self { limit, ..Self::default() }
    }

    /// Leaves the bytes of events out of them: it is cheaper.
    #[must_use]
    pub fn without_raw(mut self) -> Self {
        self.without_raw = true;
        self
    }

    /// Takes the next bytes of the stream.
    pub fn push(&mut self, bytes: &[u8]) {
        self.buffer.extend_from_slice(bytes);
    }

    /// The next event that is complete; `None` when more bytes are needed.
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

    /// The stream is over: what is left of its events, the last of which may lack its end. Call it until `None`; then
    /// [`Decoder::rest`] has what formed no event.
    pub fn finish(&mut self) -> Option<SseEvent> {
        match self.next() {
            Ok(None) => {}
            Ok(Some(frame)) => return Some(frame),
            Err(_) => return None,
        }
        if self.line < self.buffer.len() {
            // A comment is complete at any length.
            self.torn = Some(self.line).filter(|line| self.buffer[*line] != b':');
            self.take_line(self.buffer.len());
            // There is no line end behind this line to step over.
            self.line = self.buffer.len();
            self.searched = self.line;
        }
        if !self.fields.complete() {
            return None;
        }
        let torn = self.torn.take().is_some();
        self.cut(self.buffer.len(), true).ok().map(|frame| SseEvent { torn, ..frame })
    }

    /// The line without an end in which a stream that is over broke off, where it belongs to no event and is not a comment.
    pub fn torn_line(&self) -> Option<&[u8]> {
        self.buffer.get(self.torn?..).filter(|line| !line.trim_ascii().is_empty())
    }

    /// The bytes that came since the last event.
    pub fn rest(&self) -> &[u8] {
        &self.buffer
    }

    /// A line feed right after a carriage return belongs to the line before.
    fn skip_line_feed(&mut self) {
        if self.after_return && self.line < self.buffer.len() {
            self.after_return = false;
            if self.buffer[self.line] == b'\n' {
                self.line += 1;
                self.searched = self.line;
            }
        }
    }

    /// Takes the line that ends here; says whether it is blank.
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

    /// The event whose last byte stands before `end`.
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
