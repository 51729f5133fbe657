//! A mapping that is being read together with the list that its problems go to.

use super::{Fields, choice, count, duration, name, one_or_more_texts, text, truth};
use crate::shape::Shape;
use crate::{Diagnostics, Node, Pair, Span};

/// The keys of one mapping, each read by the function for its type.
///
/// Such a function takes the value, the name of its key for messages, and the list of problems.
pub struct Reader<'n, 'p> {
    fields: Fields<'n>,
    /// What is wrong so far.
    pub problems: &'p mut Diagnostics,
}

impl Shape {
    /// Reads a mapping to its end, so that unknown keys are reported whatever `read` finds. It must ask for every key before it
    /// returns `None`.
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

    /// Opens a mapping; anything else is reported as not being one.
    pub fn reader<'n, 'p>(&'static self, node: &'n Node, problems: &'p mut Diagnostics) -> Option<Reader<'n, 'p>> {
        Some(Reader { fields: self.open(node, problems)?, problems })
    }
}

impl<'n> Reader<'n, '_> {
    /// The value of a key that may be absent.
    pub fn node(&mut self, key: &'static str) -> Option<&'n Node> {
        self.fields.optional(key)
    }

    /// The value of a key that must be there.
    pub fn required_node(&mut self, key: &'static str) -> Option<&'n Node> {
        self.fields.required(key, self.problems)
    }

    /// What a key says that may be absent.
    pub fn optional<T>(
        &mut self,
        key: &'static str,
        read: impl FnOnce(&'n Node, &'static str, &mut Diagnostics) -> Option<T>,
    ) -> Option<T> {
        read(self.node(key)?, key, self.problems)
    }

    /// What a key says that must be there.
    pub fn required<T>(
        &mut self,
        key: &'static str,
        read: impl FnOnce(&'n Node, &'static str, &mut Diagnostics) -> Option<T>,
    ) -> Option<T> {
        read(self.required_node(key)?, key, self.problems)
    }

    /// What a key says that may be absent, for a mapping that is of no use when it is wrong; `None` if it is.
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

    /// What is read from a key, or the default where it is absent.
    pub fn or_default<T: Default>(
        &mut self,
        key: &'static str,
        read: impl FnOnce(&'n Node, &mut Diagnostics) -> T,
    ) -> T {
        self.node(key).map(|node| read(node, self.problems)).unwrap_or_default()
    }

    /// The same for a function that takes the name of the key, too.
    pub fn named_or_default<T: Default>(
        &mut self,
        key: &'static str,
        read: impl FnOnce(&'n Node, &'static str, &mut Diagnostics) -> T,
    ) -> T {
        self.or_default(key, |node, problems| read(node, key, problems))
    }

    /// A text, if it is there.
    pub fn text(&mut self, key: &'static str) -> Option<String> {
        self.optional(key, text)
    }

    /// A text that is not empty, if it is there.
    pub fn name(&mut self, key: &'static str) -> Option<String> {
        self.optional(key, name).map(|name| name.value)
    }

    /// One text or several; none where the key is absent.
    pub fn texts(&mut self, key: &'static str) -> Vec<String> {
        let texts = self.optional(key, one_or_more_texts).unwrap_or_default();
        texts.into_iter().map(|text| text.value).collect()
    }

    /// A truth value, if it is there.
    pub fn truth(&mut self, key: &'static str) -> Option<bool> {
        self.optional(key, truth)
    }

    /// A duration, if it is there.
    pub fn duration(&mut self, key: &'static str) -> Option<std::time::Duration> {
        self.optional(key, duration)
    }

    /// A whole number of at least `least`, if it is there.
    pub fn count(&mut self, key: &'static str, least: u32) -> Option<u32> {
        self.optional(key, |node, key, problems| count(node, key, least, problems))
    }

    /// One word of a few, if it is there.
    pub fn choice<T: Copy>(&mut self, key: &'static str, choices: &[(&str, T)]) -> Option<T> {
        self.optional(key, |node, key, problems| choice(node, key, choices, problems))
    }

    /// Where the mapping stands.
    pub fn span(&self) -> Span {
        self.fields.span()
    }

    /// Where the key itself stands.
    pub fn key_span(&self, key: &str) -> Option<Span> {
        self.fields.key_span(key)
    }

    /// Every pair that no one asked for, without complaint.
    pub fn rest(&self) -> impl Iterator<Item = &'n Pair> + use<'n> {
        self.fields.rest().collect::<Vec<_>>().into_iter()
    }

    /// A key that must be there, the caller having words of its own for one that is not.
    pub fn demanded(&mut self, key: &'static str) -> Option<&'n Node> {
        self.fields.demanded(key)
    }

    /// The mapping turned out to be of this shape, which declares all keys that were asked for so far.
    pub fn becomes(&mut self, shape: &'static Shape) {
        self.fields.becomes(shape);
    }

    /// Reports every key that no one asked for, as the shape says.
    pub fn finish(self) {
        self.fields.finish(self.problems);
    }

    /// Ends the reading without a word about other keys, of which the caller has spoken.
    pub fn end(self) {
        self.fields.end();
    }
}
