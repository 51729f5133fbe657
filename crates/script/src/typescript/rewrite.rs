//! A file that is changed in place.

use std::collections::BTreeMap;
use std::ops::Range;

use oxc_span::Span;

use crate::source_map::CodePlaces;

/// A file that is changed in place: removed text leaves blanks, and inserted text moves only the rest of its line.
pub(super) struct Rewrite<'s> {
    source: &'s str,
    /// In the order of the file.
    comments: Vec<Range<usize>>,
    /// Whether each byte is blank.
    blank: Vec<bool>,
    replaced: BTreeMap<usize, char>,
    inserted: BTreeMap<usize, String>,
}

impl<'s> Rewrite<'s> {
    /// Comments are blank from the start.
    pub(super) fn new(source: &'s str, comments: Vec<Range<usize>>) -> Self {
        let blank = vec![false; source.len()];
        let mut rewrite = Self { source, comments, blank, replaced: BTreeMap::new(), inserted: BTreeMap::new() };
        for comment in rewrite.comments.clone() {
            rewrite.blank(comment);
        }
        rewrite
    }

    pub(super) fn text(&self, range: Range<usize>) -> &'s str {
        &self.source[range]
    }

    pub(super) fn blank(&mut self, range: Range<usize>) {
        self.blank[range].fill(true);
    }

    /// Replaces one character by another, which moves nothing.
    pub(super) fn replace(&mut self, at: usize, with: char) {
        self.replaced.insert(at, with);
    }

    pub(super) fn insert(&mut self, at: usize, text: &str) {
        self.inserted.entry(at).or_default().push_str(text);
    }

    /// Removes a whole statement or member. The semicolon keeps the lines around it apart.
    pub(super) fn erase(&mut self, range: Range<usize>) {
        self.replace(range.start, ';');
        self.blank(range);
    }

    /// The next character that is neither white space nor in a comment.
    pub(super) fn next(&self, from: usize) -> Option<(usize, char)> {
        let mut characters = self.source.get(from..)?.char_indices().map(|(at, character)| (from + at, character));
        characters.find(|(at, character)| !character.is_whitespace() && self.comment_at(*at).is_none())
    }

    /// Removes the next character if it is this one.
    pub(super) fn blank_next(&mut self, from: usize, wanted: char) {
        if let Some((at, _)) = self.next(from).filter(|(_, found)| *found == wanted) {
            self.blank(at..at + wanted.len_utf8());
        }
    }

    /// The words in a range, except those in comments.
    pub(super) fn words(&self, range: Range<usize>) -> Vec<Range<usize>> {
        let mut words: Vec<Range<usize>> = Vec::new();
        for (at, character) in self.text(range.clone()).char_indices() {
            let (start, end) = (range.start + at, range.start + at + character.len_utf8());
            if !character.is_alphanumeric() || self.comment_at(start).is_some() {
                continue;
            }
            match words.last_mut() {
                Some(word) if word.end == start => word.end = end,
                _ => words.push(start..end),
            }
        }
        words
    }

    /// Whether a range contains a line break.
    pub(super) fn is_broken(&self, range: Range<usize>) -> bool {
        self.text(range).contains(ends_line)
    }

    fn comment_at(&self, at: usize) -> Option<&Range<usize>> {
        let after = self.comments.partition_point(|comment| comment.start <= at);
        self.comments[..after].last().filter(|comment| comment.contains(&at))
    }

    /// The code, and the map of its places to the file.
    pub(super) fn finish(self) -> (String, CodePlaces) {
        let (mut code, mut places) = (String::with_capacity(self.source.len()), CodePlaces::default());
        let (mut line, mut column) = (0, 0);
        for (at, character) in self.source.char_indices() {
            if let Some(text) = self.inserted.get(&at) {
                code.push_str(text);
                places.inserted(line, column, text.chars().count());
                column += text.chars().count();
            }
            code.push(match self.replaced.get(&at) {
                Some(other) => *other,
                None if self.blank[at] && !ends_line(character) => ' ',
                None => character,
            });
            (line, column) = if character == '\n' { (line + 1, 0) } else { (line, column + 1) };
        }
        code.extend(self.inserted.get(&self.source.len()).map(String::as_str));
        (code, places)
    }
}

fn ends_line(character: char) -> bool {
    matches!(character, '\n' | '\r' | '\u{2028}' | '\u{2029}')
}

/// The byte range of a span.
pub(super) fn range(span: Span) -> Range<usize> {
    span.start as usize..span.end as usize
}
