//! Builds the nodes to print a suite. Mappings omit keys without a value; absent, empty and default values are `None`.

use std::fmt::Display;
use std::path::Path;
use std::time::Duration;

use agentci_plan::{CommandPart, Data, Text};
use agentci_source::{Content, Key, Node, Pair, Scalar, Span, Spanned, print_duration, relative};
use serde_json::Value;

/// Builds nodes for the parts of a suite.
pub(crate) struct Printer<'s> {
    /// The span of all created nodes; it is not printed.
    pub(crate) span: Span,
    /// Paths are printed relative to it.
    pub(crate) folder: &'s Path,
}

impl Printer<'_> {
    /// A mapping of the pairs that have a value.
    pub(crate) fn map<K: AsRef<str>>(&self, pairs: impl IntoIterator<Item = (K, Option<Node>)>) -> Node {
        let pair = |(key, value): (K, Option<Node>)| {
            Some(Pair { key: Key { text: key.as_ref().into(), span: self.span }, value: value? })
        };
        Node { span: self.span, content: Content::Map(pairs.into_iter().filter_map(pair).collect()) }
    }

    /// The same, or `None` if it is empty.
    pub(crate) fn filled_map<K: AsRef<str>>(&self, pairs: impl IntoIterator<Item = (K, Option<Node>)>) -> Option<Node> {
        Some(self.map(pairs)).filter(|map| map.pairs().is_some_and(|pairs| !pairs.is_empty()))
    }

    /// A list, or `None` if it is empty.
    pub(crate) fn list<T>(&self, items: &[T], item: impl FnMut(&T) -> Node) -> Option<Node> {
        (!items.is_empty()).then(|| Node::list(self.span, items.iter().map(item).collect()))
    }

    pub(crate) fn texts(&self, texts: &[String]) -> Option<Node> {
        self.list(texts, |text| self.text(text))
    }

    pub(crate) fn placed_texts(&self, texts: &[Spanned<String>]) -> Option<Node> {
        self.list(texts, |text| self.text(&text.value))
    }

    pub(crate) fn named_texts(&self, named: &[(String, Text)]) -> Option<Node> {
        self.filled_map(named.iter().map(|(name, text)| (name, Some(self.template(text)))))
    }

    pub(crate) fn command(&self, parts: &[CommandPart]) -> Option<Node> {
        self.list(parts, |part| self.template(&part.text))
    }

    pub(crate) fn text(&self, text: &str) -> Node {
        Node::text(text, self.span)
    }

    pub(crate) fn template(&self, text: &Text) -> Node {
        self.text(&text.written())
    }

    /// A path, relative to the folder of the suite.
    pub(crate) fn path(&self, path: &Path) -> Node {
        self.text(&relative(self.folder, path).to_string_lossy())
    }

    /// A number or a boolean.
    pub(crate) fn plain(&self, word: impl Display) -> Node {
        Node { span: self.span, content: Content::Scalar(Scalar::plain(word.to_string())) }
    }

    /// `true`, or `None`.
    pub(crate) fn flag(&self, is_set: bool) -> Option<Node> {
        is_set.then(|| self.plain(true))
    }

    pub(crate) fn value(&self, value: &Value) -> Node {
        Node::from_value(value, self.span)
    }

    pub(crate) fn data(&self, data: &Data) -> Node {
        self.value(&data.written())
    }

    /// A duration, or `None` for the default.
    pub(crate) fn duration(&self, time: Duration, usual: Duration) -> Option<Node> {
        (time != usual).then(|| self.text(&print_duration(time)))
    }

    /// The name of a choice.
    pub(crate) fn word<T: Copy + PartialEq>(&self, chosen: T, names: &[(&str, T)]) -> Option<Node> {
        names.iter().find(|(_, value)| *value == chosen).map(|(name, _)| self.text(name))
    }

    /// The name of a choice, or `None` for the default.
    pub(crate) fn choice<T: Copy + PartialEq + Default>(&self, chosen: T, names: &[(&str, T)]) -> Option<Node> {
        self.word(chosen, names).filter(|_| chosen != T::default())
    }
}
