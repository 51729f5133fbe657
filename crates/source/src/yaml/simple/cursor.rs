//! Where the reader is, and what it has gathered of what is not closed yet.

use crate::{FileId, Node, Pair, Span};

use crate::yaml::names::Names;

/// How many levels are read here; the parser has its own limit, further down.
const DEPTH: usize = 60;

/// The longest line of a text with characters of several bytes.
const LONG_LINE: usize = 4096;

/// A place in a text.
pub(super) struct Cursor<'t> {
    text: &'t str,
    file: FileId,
    at: usize,
    line: u32,
    line_start: usize,
    /// By how much the present line is indented; none at the end of the text.
    indent: Option<usize>,
    /// Whether a byte is a character.
    ascii: bool,
    depth: usize,
    /// The pairs of all mappings that are open, the innermost last: each gets a list of just its size when it is closed.
    pub(super) pairs: Vec<Pair>,
    /// The same for lists.
    pub(super) items: Vec<Node>,
    /// The keys so far.
    pub(super) names: Names,
}

impl<'t> Cursor<'t> {
    /// The beginning of a text, if all its characters are plain.
    pub(super) fn new(text: &'t str, file: FileId) -> Option<Self> {
        let ascii = text.is_ascii();
        if !text.bytes().all(|byte| (b' '..0x7f).contains(&byte) || byte == b'\n' || byte >= 0x80)
            || !(ascii || text.chars().all(is_plain))
        {
            return None;
        }
        // Columns are counted from the beginning of a line, which takes its time on a long one.
        if !ascii && text.lines().any(|line| line.len() > LONG_LINE) {
            return None;
        }
        Some(Self {
            text,
            file,
            at: 0,
            line: 1,
            line_start: 0,
            indent: None,
            ascii,
            depth: 0,
            pairs: Vec::new(),
            items: Vec::new(),
            names: Names::default(),
        })
    }

    /// By how much the present line is indented.
    pub(super) fn indent(&self) -> Option<usize> {
        self.indent
    }

    /// Takes what begins here to be a line of its own: an item behind its dash.
    pub(super) fn set_indent(&mut self) -> usize {
        let indent = self.at - self.line_start;
        self.indent = Some(indent);
        indent
    }

    pub(super) fn at(&self) -> usize {
        self.at
    }

    pub(super) fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// The byte so many after this one.
    pub(super) fn ahead(&self, by: usize) -> Option<u8> {
        self.text.as_bytes().get(self.at + by).copied()
    }

    pub(super) fn skip(&mut self, bytes: usize) {
        self.at += bytes;
    }

    pub(super) fn rest(&self) -> &'t [u8] {
        self.text.as_bytes().get(self.at..).unwrap_or_default()
    }

    /// The text from a place to here.
    pub(super) fn since(&self, start: usize) -> Option<&'t str> {
        self.text.get(start..self.at)
    }

    pub(super) fn skip_spaces(&mut self) {
        while self.peek() == Some(b' ') {
            self.at += 1;
        }
    }

    /// Whether nothing but a comment is left of the line.
    pub(super) fn line_is_over(&self) -> bool {
        match self.peek() {
            None | Some(b'\n') => true,
            Some(b'#') => self.at == self.line_start || self.text.as_bytes().get(self.at - 1) == Some(&b' '),
            Some(_) => false,
        }
    }

    /// Goes to what the next line that says something begins with. Nothing else may be left of the present one.
    pub(super) fn next_line(&mut self) -> Option<()> {
        if self.at > 0 {
            self.end_line()?;
        }
        loop {
            self.skip_spaces();
            if self.at >= self.text.len() {
                self.indent = None;
                return Some(());
            }
            if !self.line_is_over() {
                break;
            }
            self.end_line()?;
        }
        let indent = self.at - self.line_start;
        // The marks of a document.
        if indent == 0 && (self.rest().starts_with(b"---") || self.rest().starts_with(b"...")) {
            return None;
        }
        self.indent = Some(indent);
        Some(())
    }

    fn end_line(&mut self) -> Option<()> {
        self.skip_spaces();
        if !self.line_is_over() {
            return None;
        }
        match self.rest().iter().position(|byte| *byte == b'\n') {
            Some(more) => {
                self.at += more + 1;
                self.line += 1;
                self.line_start = self.at;
            }
            None => self.at = self.text.len(),
        }
        Some(())
    }

    /// One level down, unless that is too deep.
    pub(super) fn enter(&mut self) -> Option<()> {
        self.depth += 1;
        (self.depth <= DEPTH).then_some(())
    }

    pub(super) fn leave(&mut self) {
        self.depth -= 1;
    }

    /// The span from a place on this line to another.
    pub(super) fn span(&self, start: usize, end: usize) -> Span {
        let characters = |from: usize, to: usize| {
            if self.ascii { to - from } else { self.text.get(from..to).unwrap_or_default().chars().count() }
        };
        let narrow = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        Span {
            file: self.file,
            line: self.line,
            column: narrow(characters(self.line_start, start)).saturating_add(1),
            width: narrow(characters(start, end)).max(1),
        }
    }
}

/// Whether a character means nothing but itself.
fn is_plain(character: char) -> bool {
    !matches!(character, '\u{80}'..='\u{9f}' | '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}')
}
