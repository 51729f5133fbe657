//! Splits an answer into pieces: events or lines if it has them, otherwise the chunks in which it arrived.

use agentci_text::media_type;
use bytes::{Bytes, BytesMut};

use crate::RecordedResponse;

/// How an answer is split.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FrameCut {
    /// After each empty line, as in `text/event-stream`.
    Events,
    /// After each line.
    Lines,
    /// Not at all: a piece is a chunk as it arrived.
    Chunks,
}

/// Splits one answer. Lines end with a line feed, optionally after a carriage return.
#[derive(Debug)]
pub(crate) struct Splitter {
    cut: FrameCut,
    /// The data since the last split.
    open: BytesMut,
    /// The start of the current line in it.
    line: usize,
    /// Whether any earlier line in it has text.
    has_text: bool,
}

impl Splitter {
    /// For an answer of this type and encoding. Compressed events cannot be recognised.
    pub(crate) fn new(content_type: &str, encoding: &str) -> Self {
        let kind = media_type(content_type);
        let plain = encoding.is_empty() || encoding.eq_ignore_ascii_case("identity");
        let cut = match kind.as_str() {
            "text/event-stream" if plain => FrameCut::Events,
            "application/x-ndjson" | "application/ndjson" | "application/jsonl" if plain => FrameCut::Lines,
            _ => FrameCut::Chunks,
        };
        Self { cut, open: BytesMut::new(), line: 0, has_text: false }
    }

    /// For this answer, according to its headers.
    pub(crate) fn of(response: &RecordedResponse) -> Self {
        let header = |name: &str| response.header(name).unwrap_or_default();
        Self::new(header("content-type"), header("content-encoding"))
    }

    /// Adds a chunk and returns the pieces that are now complete.
    pub(crate) fn push(&mut self, chunk: &Bytes) -> Vec<Bytes> {
        if self.cut == FrameCut::Chunks {
            return if chunk.is_empty() { Vec::new() } else { vec![chunk.clone()] };
        }
        let mut searched = self.open.len();
        self.open.extend_from_slice(chunk);
        let mut pieces = Vec::new();
        while let Some(feed) = memchr::memchr(b'\n', &self.open[searched..]) {
            searched += feed + 1;
            let is_blank = self.open[self.line..searched].iter().all(|byte| matches!(byte, b'\r' | b'\n'));
            let ends = self.cut == FrameCut::Lines || is_blank;
            let has_text = self.has_text || !is_blank;
            (self.line, self.has_text) = (searched, has_text);
            if ends && has_text {
                pieces.push(self.open.split_to(searched).freeze());
                (searched, self.line, self.has_text) = (0, 0, false);
            }
        }
        pieces
    }

    /// The number of bytes since the last split.
    pub(crate) fn open(&self) -> usize {
        self.open.len()
    }

    /// The remaining data when the answer has ended.
    pub(crate) fn rest(&mut self) -> Option<Bytes> {
        (!self.open.is_empty()).then(|| self.open.split().freeze())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn pieces(kind: &str, chunks: &[&[u8]]) -> Vec<String> {
        let mut splitter = Splitter::new(kind, "");
        let mut pieces: Vec<Bytes> =
            chunks.iter().flat_map(|chunk| splitter.push(&Bytes::copy_from_slice(chunk))).collect();
        pieces.extend(splitter.rest());
        pieces.iter().map(|piece| String::from_utf8_lossy(piece).into_owned()).collect()
    }

    const EVENTS: &str = "text/event-stream; charset=utf-8";

    #[test]
    fn splits_events_independently_of_chunks() {
        let expected = ["data: a\n\n", "event: b\ndata: c\n\n", "data: d"];
        let whole = b"data: a\n\nevent: b\ndata: c\n\ndata: d";
        assert_eq!(pieces(EVENTS, &[whole]), expected);
        let single: Vec<&[u8]> = whole.chunks(1).collect();
        assert_eq!(pieces(EVENTS, &single), expected);
    }

    #[test]
    fn keeps_carriage_returns_with_their_line() {
        assert_eq!(pieces(EVENTS, &[b"data: a\r\n\r", b"\ndata: b\r\n\r\n"]), ["data: a\r\n\r\n", "data: b\r\n\r\n"]);
    }

    #[test]
    fn leading_empty_lines_belong_to_the_event() {
        assert_eq!(pieces(EVENTS, &[b"\n\n: ping\n\n\n"]), ["\n\n: ping\n\n", "\n"]);
    }

    #[test]
    fn splits_json_lines_and_keeps_chunks_of_other_bodies() {
        assert_eq!(pieces("application/x-ndjson", &[b"{}\n{", b"}\n"]), ["{}\n", "{}\n"]);
        assert_eq!(pieces("application/json", &[b"{\n\n", b"}"]), ["{\n\n", "}"]);
        let mut compressed = Splitter::new("text/event-stream", "gzip");
        assert_eq!(compressed.push(&Bytes::from_static(b"a\n\nb")).len(), 1);
    }

    proptest! {
        #[test]
        fn loses_no_bytes(text in "[a\n\r:]{0,40}", size in 1_usize..9) {
            let chunks: Vec<&[u8]> = text.as_bytes().chunks(size).collect();
            for kind in [EVENTS, "application/jsonl", "text/plain"] {
                prop_assert_eq!(pieces(kind, &chunks).concat(), text.clone());
            }
        }
    }
}
