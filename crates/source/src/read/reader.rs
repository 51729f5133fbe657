//! A mapping that is being read, together with the list of its problems.

use super::{Fields, choice, count, duration, name, one_or_more_texts, text, truth};
use crate::shape::Shape;
use crate::{Diagnostics, Node, Pair, Span};

/// The keys of one mapping, each read by the function for its type.
///
/// Such a function takes the value, the name of its key for messages, and the list of problems.
pub struct Reader<'n, 'p> {
    fields: Fields<'n>,
    /// The problems so far.
    pub problems: &'p mut Diagnostics,
}

impl Shape {
    /// Reads a mapping to its end, so that unknown keys are reported whatever `read` returns. `read` must read every
    /// key before it returns `None`.
    pub fn read<'n, T>(
        &'static self,
        node: &'n Node,
        problems: &mut Diagnostics,
        read: impl FnOnce(&mut Reader<'n, '_>) -> Option<T>,
    ) -> Option<T> {
        let mut reader = self.reader(node, problems)?;
        let value = read(&mut reader);
        reader.finish();
        value
    }

    /// Opens a mapping; reports an error for any other node.
    pub fn reader<'n, 'p>(&'static self, node: &'n Node, problems: &'p mut Diagnostics) -> Option<Reader<'n, 'p>> {
        Some(Reader { fields: self.open(node, problems)?, problems })
    }
}

impl<'n> Reader<'n, '_> {
    /// The value of an optional key.
    pub fn node(&mut self, key: &'static str) -> Option<&'n Node> {
        self.fields.optional(key)
    }

    /// The value of a required key.
    pub fn required_node(&mut self, key: &'static str) -> Option<&'n Node> {
        self.fields.required(key, self.problems)
    }

    /// Reads an optional key.
    pub fn optional<T>(
        &mut self,
        key: &'static str,
        read: impl FnOnce(&'n Node, &'static str, &mut Diagnostics) -> Option<T>,
    ) -> Option<T> {
        read(self.node(key)?, key, self.problems)
    }

    /// Reads a required key.
    pub fn required<T>(
        &mut self,
        key: &'static str,
        read: impl FnOnce(&'n Node, &'static str, &mut Diagnostics) -> Option<T>,
    ) -> Option<T> {
        read(self.required_node(key)?, key, self.problems)
    }

    /// Reads an optional key whose errors make the whole mapping invalid; `None` if the value is invalid.
    pub fn valid<T>(
        &mut self,
        key: &'static str,
        read: impl FnOnce(&'n Node, &'static str, &mut Diagnostics) -> Option<T>,
    ) -> Option<Option<T>> {
        match self.node(key) {
            None => Some(None),
            Some(node) => read(node, key, self.problems).map(Some),
        }
    }

    /// Reads an optional key, or returns the default if it is absent.
    pub fn or_default<T: Default>(
        &mut self,
        key: &'static str,
        read: impl FnOnce(&'n Node, &mut Diagnostics) -> T,
    ) -> T {
        self.node(key).map(|node| read(node, self.problems)).unwrap_or_default()
    }

    /// The same, for a function that also takes the name of the key.
    pub fn named_or_default<T: Default>(
        &mut self,
        key: &'static str,
        read: impl FnOnce(&'n Node, &'static str, &mut Diagnostics) -> T,
    ) -> T {
        self.or_default(key, |node, problems| read(node, key, problems))
    }

    /// A string, if present.
    pub fn text(&mut self, key: &'static str) -> Option<String> {
        self.optional(key, text)
    }

    /// A string that is not blank, if present.
    pub fn name(&mut self, key: &'static str) -> Option<String> {
        self.optional(key, name).map(|name| name.value)
    }

    /// A string or a list of strings; empty if the key is absent.
    pub fn texts(&mut self, key: &'static str) -> Vec<String> {
        let texts = self.optional(key, one_or_more_texts).unwrap_or_default();
        texts.into_iter().map(|text| text.value).collect()
    }

    /// A boolean, if present.
    pub fn truth(&mut self, key: &'static str) -> Option<bool> {
        self.optional(key, truth)
    }

    /// A duration, if present.
    pub fn duration(&mut self, key: &'static str) -> Option<std::time::Duration> {
        self.optional(key, duration)
    }

    /// An integer of at least `least`, if present.
    pub fn count(&mut self, key: &'static str, least: u32) -> Option<u32> {
        self.optional(key, |node, key, problems| count(node, key, least, problems))
    }

    /// One of several words, if present.
    pub fn choice<T: Copy>(&mut self, key: &'static str, choices: &[(&str, T)]) -> Option<T> {
        self.optional(key, |node, key, problems| choice(node, key, choices, problems))
    }

    /// The place of the mapping.
    pub fn span(&self) -> Span {
        self.fields.span()
    }

    /// The place of the key itself.
    pub fn key_span(&self, key: &str) -> Option<Span> {
        self.fields.key_span(key)
    }

    /// All pairs that were not read; they are not reported.
    pub fn rest(&self) -> impl Iterator<Item = &'n Pair> + use<'n> {
        self.fields.rest().collect::<Vec<_>>().into_iter()
    }

    /// The value of a required key; the caller reports if it is missing.
    pub fn demanded(&mut self, key: &'static str) -> Option<&'n Node> {
        self.fields.demanded(key)
    }

    /// Changes the shape of the mapping to one that declares all keys read so far.
    pub fn becomes(&mut self, shape: &'static Shape) {
        self.fields.becomes(shape);
    }

    /// Reports all keys that were not read, as the shape requires.
    pub fn finish(self) {
        self.fields.finish(self.problems);
    }

    /// Ends the reading without reporting other keys; the caller has already handled them.
    pub fn end(self) {
        self.fields.end();
    }
}
