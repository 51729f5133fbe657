//! The position of the JSON reader by line and column, and skipping of blanks and comments.

use agentci_source::{Diagnostic, FileId, Span};

#[derive(Debug, Clone, Copy)]
pub(super) struct TextPlace {
    pub(super) byte: usize,
    pub(super) line: u32,
    pub(super) column: u32,
}

/// Moves forward through a text.
pub(super) struct Cursor<'t> {
    text: &'t str,
    file: FileId,
    at: TextPlace,
    /// Whether `/* */` comments and trailing commas are allowed.
    pub(super) lax: bool,
}

impl<'t> Cursor<'t> {
    pub(super) fn new(text: &'t str, file: FileId, lax: bool) -> Self {
        Self { text, file, at: TextPlace { byte: 0, line: 1, column: 1 }, lax }
    }

    pub(super) fn at(&self) -> TextPlace {
        self.at
    }

    /// The text after the current position.
    pub(super) fn rest(&self) -> &'t str {
        &self.text[self.at.byte..]
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    /// Takes the next character.
    pub(super) fn take(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.at.byte += next.len_utf8();
        if next == '\n' || (next == '\r' && self.peek() != Some('\n')) {
            self.at.line = self.at.line.saturating_add(1);
            self.at.column = 1;
        } else if next != '\r' {
            self.at.column = self.at.column.saturating_add(1);
        }
        Some(next)
    }

    /// Takes the next character if it is this one.
    pub(super) fn takes(&mut self, wanted: char) -> bool {
        let found = self.peek() == Some(wanted);
        if found {
            self.take();
        }
        found
    }

    /// Takes characters while `kind` returns true.
    pub(super) fn take_while(&mut self, kind: impl Fn(char) -> bool) -> &'t str {
        let start = self.rest();
        while self.peek().is_some_and(&kind) {
            self.take();
        }
        &start[..start.len() - self.rest().len()]
    }

    /// Skips blanks and comments. The error is an unclosed comment.
    pub(super) fn blank(&mut self) -> Result<(), Diagnostic> {
        loop {
            self.take_while(|c| matches!(c, ' ' | '\t' | '\n' | '\r' | '\u{feff}'));
            if self.rest().starts_with("//") {
                self.take_while(|c| c != '\n' && c != '\r');
            } else if self.lax && self.rest().starts_with("/*") {
                let start = self.at;
                let ends = self.rest().get(2..).and_then(|rest| rest.find("*/"));
                let Some(end) = ends else {
                    return Err(Diagnostic::error(self.point(start), "a comment is never closed")
                        .label("begins here")
                        .help("close it with `*/`"));
                };
                let past = self.at.byte + end + 4;
                while self.at.byte < past {
                    self.take();
                }
            } else {
                return Ok(());
            }
        }
    }

    /// Moves to the next line that begins with `{`, or stays if the cursor is at the start of such a line.
    pub(super) fn next_object(&mut self) -> bool {
        while self.peek().is_some() {
            if self.at.column == 1 && self.peek() == Some('{') {
                return true;
            }
            self.take_while(|c| c != '\n');
            self.take();
        }
        false
    }

    /// The span of one character.
    pub(super) fn point(&self, at: TextPlace) -> Span {
        Span { file: self.file, line: at.line, column: at.column, width: 1 }
    }

    /// The span from a place to the current position; one character if that is on another line.
    pub(super) fn since(&self, start: TextPlace) -> Span {
        let width = if start.line == self.at.line { self.at.column.saturating_sub(start.column).max(1) } else { 1 };
        Span { width, ..self.point(start) }
    }
}
