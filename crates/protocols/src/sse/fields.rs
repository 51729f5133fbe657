//! Parses lines to the fields of an event.

use std::borrow::Cow;

use super::SseEvent;

/// The fields of the event being read.
#[derive(Debug, Default)]
pub(super) struct SseFields {
    frame: SseEvent,
    /// Whether there was a data line, even an empty one.
    has_data: bool,
}

impl SseFields {
    /// Reads a line that is not blank. Unknown fields are ignored, and so are comments, whose field name is empty.
    pub(super) fn take(&mut self, line: &[u8]) {
        let (name, value) = match memchr::memchr(b':', line) {
            Some(colon) => (&line[..colon], &line[colon + 1..]),
            None => (line, &[][..]),
        };
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match name {
            b"data" => {
                let text = self.text(value);
                if self.has_data {
                    self.frame.data.push('\n');
                    self.frame.data.push_str(&text);
                } else {
                    self.frame.data = text.into_owned();
                }
                self.has_data = true;
            }
            b"event" => self.frame.event = Some(self.text(value).into_owned()).filter(|event| !event.is_empty()),
            b"id" if !value.contains(&0) => self.frame.id = Some(self.text(value).into_owned()),
            b"retry" => {
                if let Ok(digits) = str::from_utf8(value)
                    && digits.bytes().all(|byte| byte.is_ascii_digit())
                    && let Ok(delay) = digits.parse()
                {
                    self.frame.retry = Some(delay);
                }
            }
            _ => {}
        }
    }

    /// Whether a blank line completes an event. Without data it does not, and the event name is reset.
    pub(super) fn complete(&mut self) -> bool {
        if !self.has_data {
            self.frame.event = None;
        }
        self.has_data
    }

    /// The event, without its raw bytes.
    pub(super) fn hand_out(&mut self) -> SseEvent {
        self.has_data = false;
        std::mem::take(&mut self.frame)
    }

    fn text<'t>(&mut self, bytes: &'t [u8]) -> Cow<'t, str> {
        if let Ok(text) = str::from_utf8(bytes) {
            return Cow::Borrowed(text);
        }
        self.frame.lossy = true;
        String::from_utf8_lossy(bytes)
    }
}
