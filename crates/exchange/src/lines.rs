//! Splits a stream of bytes into lines.

use bytes::{Bytes, BytesMut};
use memchr::memchr;

/// Splits bytes that arrive in pieces into lines. The boundaries of the pieces make no difference.
#[derive(Debug, Default)]
pub(super) struct LineCutter {
    buffer: BytesMut,
    /// How far the buffer was searched for a line end.
    searched: usize,
}

impl LineCutter {
    /// Adds the next bytes.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.buffer.extend_from_slice(bytes);
    }

    /// The next line with its line end; `None` if more bytes are needed.
    pub(super) fn next(&mut self) -> Option<Bytes> {
        let Some(found) = memchr(b'\n', &self.buffer[self.searched..]) else {
            self.searched = self.buffer.len();
            return None;
        };
        let line = self.buffer.split_to(self.searched + found + 1).freeze();
        self.searched = 0;
        Some(line)
    }

    /// The last line, which has no line end; `None` if nothing is left.
    pub(super) fn rest(&mut self) -> Option<Bytes> {
        self.searched = 0;
        (!self.buffer.is_empty()).then(|| self.buffer.split().freeze())
    }

    /// The number of bytes of the incomplete line.
    pub(super) fn waiting(&self) -> usize {
        self.buffer.len()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn lines(pieces: &[&[u8]]) -> Vec<Bytes> {
        let mut lines = LineCutter::default();
        let mut found = Vec::new();
        for piece in pieces {
            lines.push(piece);
            found.extend(std::iter::from_fn(|| lines.next()));
        }
        found.extend(lines.rest());
        assert_eq!(lines.waiting(), 0);
        found
    }

    proptest! {
        #[test]
        fn chunk_boundaries_do_not_change_the_lines(text in "[ab\r\n]{0,30}", size in 1usize..7) {
            let pieces: Vec<&[u8]> = text.as_bytes().chunks(size).collect();
            let expected: Vec<&[u8]> = text.as_bytes().split_inclusive(|byte| *byte == b'\n').collect();
            prop_assert_eq!(lines(&pieces), expected);
        }
    }
}
