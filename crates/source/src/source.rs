//! Where a node stands in its file.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use serde::{Deserialize, Serialize};

use crate::Name;

/// A file of a [`Sources`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileId(u32);

/// A stretch of one line of one file. Line and column count from 1, in characters; line 0 means the file as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    /// The file.
    pub file: FileId,
    /// The line, from 1; 0 for the whole file.
    pub line: u32,
    /// The column, from 1.
    pub column: u32,
    /// How many characters it covers on that line, at least 1.
    pub width: u32,
}

impl Span {
    /// The file as a whole, where no line can be named.
    pub fn whole(file: FileId) -> Self {
        Self { file, line: 0, column: 0, width: 0 }
    }
}

/// A value and where it was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spanned<T> {
    /// The value.
    pub value: T,
    /// Where it stands.
    pub span: Span,
}

impl<T> Spanned<T> {
    /// Puts a value and its place together.
    pub fn new(value: T, span: Span) -> Self {
        Self { value, span }
    }
}

impl Spanned<String> {
    /// The same text as one that is shared.
    pub fn into_name(self) -> Spanned<Name> {
        Spanned::new(self.value.into(), self.span)
    }
}

/// A span made readable without the sources: what a message or a stored event needs to point at a line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// The file, as the user named it.
    pub path: Arc<str>,
    /// The line, from 1; 0 for the whole file.
    pub line: u32,
    /// The column, from 1.
    pub column: u32,
    /// How many characters are meant.
    pub width: u32,
    /// The text of the line, cut when it is very long; empty where only the place is known.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
}

/// What a file is called that nobody added.
const UNKNOWN: &str = "<unknown>";

/// The longest line that a [`Place`] carries along, in characters.
const PLACE_TEXT_LIMIT: usize = 400;

/// The text of every file a plan was made from.
#[derive(Debug, Clone, Default)]
pub struct Sources {
    files: Vec<SourceFile>,
}

#[derive(Debug, Clone)]
struct SourceFile {
    path: PathBuf,
    /// The path as places have it.
    shown: Arc<str>,
    text: Arc<str>,
    /// Byte offset of each line's first character, once somebody asked for a line.
    starts: OnceLock<Vec<u32>>,
}

impl Sources {
    /// Adds a file; the same path may be added once for each time it is read.
    pub fn add(&mut self, path: &Path, text: impl Into<Arc<str>>) -> FileId {
        let id = FileId(u32::try_from(self.files.len()).unwrap_or(u32::MAX));
        let shown = path.display().to_string().into();
        self.files.push(SourceFile { path: path.to_path_buf(), shown, text: text.into(), starts: OnceLock::new() });
        id
    }

    /// The path of a file, as it was named.
    pub fn path(&self, file: FileId) -> &Path {
        self.files.get(file.0 as usize).map_or(Path::new(UNKNOWN), |source| &source.path)
    }

    /// The text of a file.
    pub fn text(&self, file: FileId) -> &str {
        self.files.get(file.0 as usize).map_or("", |source| &source.text)
    }

    /// The place of a span, without any text.
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
    // What is larger than four gigabytes is read nowhere; its lines would be told without their text.
    std::iter::once(0).chain(ends.map_while(|at| u32::try_from(at + 1).ok())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn place_carries_its_line_without_the_line_end() {
        let mut sources = Sources::default();
        let file = sources.add(Path::new("a.yaml"), "one\r\ntwo: é\nthree");
        let place = sources.place(Span { file, line: 2, column: 6, width: 1 });
        assert_eq!(place.text, "two: é");
        assert_eq!(sources.place(Span { file, line: 1, column: 1, width: 1 }).text, "one");
        assert_eq!(sources.place(Span { file, line: 9, column: 1, width: 1 }).text, "");
        assert_eq!(sources.place(Span::whole(file)).text, "");
    }
}
