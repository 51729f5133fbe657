//! Converts the parser's markers to spans.

use crate::{FileId, Span};
use granit_parser::{Marker, Span as Range};

/// Makes the spans of one file.
#[derive(Clone, Copy)]
pub(super) struct SpanMaker<'t> {
    text: &'t str,
    file: FileId,
}

impl<'t> SpanMaker<'t> {
    pub(super) fn new(text: &'t str, file: FileId) -> Self {
        Self { text, file }
    }

    /// The span of one character.
    pub(super) fn point(&self, at: Marker) -> Span {
        Span { file: self.file, line: narrow(at.line()), column: narrow(at.col()).saturating_add(1), width: 1 }
    }

    /// The span of a range, truncated at the end of its first line.
    pub(super) fn range(&self, start: Marker, end: Marker) -> Span {
        let width = if start.line() == end.line() {
            end.col().saturating_sub(start.col())
        } else {
            let rest = start.byte_offset().and_then(|offset| self.text.get(offset..)).unwrap_or_default();
            rest.lines().next().unwrap_or_default().trim_end().chars().count()
        };
        Span { width: narrow(width).max(1), ..self.point(start) }
    }

    pub(super) fn event(&self, range: &Range) -> Span {
        self.range(range.start, range.end)
    }

    /// The whole text, for code that inspects it to give advice.
    pub(super) fn text(&self) -> &'t str {
        self.text
    }
}

fn narrow(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
