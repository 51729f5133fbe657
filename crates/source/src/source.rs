//! Positions in files.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use serde::{Deserialize, Serialize};

use crate::Name;

/// The id of a file in [`Sources`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileId(u32);

/// A part of one line of a file. Line and column count from 1, in characters; line 0 means the whole file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    pub file: FileId,
    /// The line, from 1; 0 for the whole file.
    pub line: u32,
    /// The column, from 1.
    pub column: u32,
    /// How many characters it covers on that line, at least 1.
    pub width: u32,
}

impl Span {
    /// The whole file, if no line can be named.
    pub fn whole(file: FileId) -> Self {
        Self { file, line: 0, column: 0, width: 0 }
    }
}

/// A value and its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spanned<T> {
    pub value: T,
    /// Its place.
    pub span: Span,
}

impl<T> Spanned<T> {
    /// Combines a value with its place.
    pub fn new(value: T, span: Span) -> Self {
        Self { value, span }
    }
}

impl Spanned<String> {
    /// Converts the string to a shared one.
    pub fn into_name(self) -> Spanned<Name> {
        Spanned::new(self.value.into(), self.span)
    }
}

/// A span that is usable without the sources: what a message or a stored event needs to point at a line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// The file, as the user named it.
    pub path: Arc<str>,
    /// The line, from 1; 0 for the whole file.
    pub line: u32,
    /// The column, from 1.
    pub column: u32,
    /// The number of characters.
    pub width: u32,
    /// The text of the line, truncated if it is very long; empty if only the position is known.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
}

/// The path of an unknown file.
const UNKNOWN: &str = "<unknown>";

/// The maximum length of the text of a [`Place`], in characters.
const PLACE_TEXT_LIMIT: usize = 400;

/// The text of every file a plan was made from.
#[derive(Debug, Clone, Default)]
pub struct Sources {
    files: Vec<SourceFile>,
}

#[derive(Debug, Clone)]
struct SourceFile {
    path: PathBuf,
    /// The path as shown in places.
    shown: Arc<str>,
    text: Arc<str>,
    /// Byte offset of each line's first character, computed when a line is first requested.
    starts: OnceLock<Vec<u32>>,
}

impl Sources {
    /// Adds a file; the same path may be added several times, once for each time it is read.
    pub fn add(&mut self, path: &Path, text: impl Into<Arc<str>>) -> FileId {
        let id = FileId(u32::try_from(self.files.len()).unwrap_or(u32::MAX));
        let shown = path.display().to_string().into();
        self.files.push(SourceFile { path: path.to_path_buf(), shown, text: text.into(), starts: OnceLock::new() });
        id
    }

    /// The path of a file, as specified.
    pub fn path(&self, file: FileId) -> &Path {
        self.files.get(file.0 as usize).map_or(Path::new(UNKNOWN), |source| &source.path)
    }

    /// The text of a file.
    pub fn text(&self, file: FileId) -> &str {
        self.files.get(file.0 as usize).map_or("", |source| &source.text)
    }

    /// The place of a span, without the text of its line.
    pub fn spot(&self, span: Span) -> Place {
        let shown = self.files.get(span.file.0 as usize).map(|source| Arc::clone(&source.shown));
        let path = shown.unwrap_or_else(|| UNKNOWN.into());
        Place { path, line: span.line, column: span.column, width: span.width, text: String::new() }
    }

    /// The place of a span, with the text of its line.
    pub fn place(&self, span: Span) -> Place {
        let line = self.line(span).unwrap_or_default();
        Place { text: line.chars().take(PLACE_TEXT_LIMIT).collect(), ..self.spot(span) }
    }

    fn line(&self, span: Span) -> Option<&str> {
        let source = self.files.get(span.file.0 as usize)?;
        let index = usize::try_from(span.line).ok()?.checked_sub(1)?;
        let starts = source.starts.get_or_init(|| starts(&source.text));
        let start = *starts.get(index)? as usize;
        let end = starts.get(index + 1).map_or(source.text.len(), |next| *next as usize);
        source.text.get(start..end).map(|line| line.trim_end_matches(['\n', '\r']))
    }
}

/// The byte offset of each line's first character.
fn starts(text: &str) -> Vec<u32> {
    let bytes = text.as_bytes();
    // YAML ends a line at a line feed, a carriage return, or both together.
    let ends = |at: &usize| bytes[*at] == b'\n' || bytes.get(at + 1) != Some(&b'\n');
    let ends = memchr::memchr2_iter(b'\n', b'\r', bytes).filter(ends);
    // No file of more than four gigabytes is ever read; its last lines would be shown without their text.
    std::iter::once(0).chain(ends.map_while(|at| u32::try_from(at + 1).ok())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn location_includes_line_text_without_line_ending() {
        let mut sources = Sources::default();
        let file = sources.add(Path::new("a.yaml"), "one\r\ntwo: é\nthree");
        let place = sources.place(Span { file, line: 2, column: 6, width: 1 });
        assert_eq!(place.text, "two: é");
        assert_eq!(sources.place(Span { file, line: 1, column: 1, width: 1 }).text, "one");
        assert_eq!(sources.place(Span { file, line: 9, column: 1, width: 1 }).text, "");
        assert_eq!(sources.place(Span::whole(file)).text, "");
    }
}
