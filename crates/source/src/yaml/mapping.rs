//! A mapping while it is parsed: rejects duplicate keys and folds in merge keys.

use std::collections::{HashMap, HashSet};

use crate::{Content, Diagnostic, Key, Name, Node, Pair, Span};

/// The pairs of a mapping that is not closed yet.
#[derive(Default)]
pub(super) struct Mapping {
    pairs: Vec<Pair>,
    /// The key whose value is next.
    key: Option<Key>,
    /// Whether that key is a merge key.
    key_merges: bool,
    merged: Option<(Span, Vec<Pair>)>,
}

impl Mapping {
    /// Whether the next node is a value and not a key.
    pub(super) fn awaits_value(&self) -> bool {
        self.key.is_some()
    }

    /// Takes the next key; `merges` means that it is an unquoted `<<`.
    pub(super) fn key(&mut self, key: Key, merges: bool) {
        self.key_merges = merges;
        self.key = Some(key);
    }

    /// Takes the value of the last key.
    pub(super) fn value(&mut self, value: Node) -> Result<(), Diagnostic> {
        let Some(key) = self.key.take() else { return Ok(()) };
        if !self.key_merges {
            self.pairs.push(Pair { key, value });
            return Ok(());
        }
        if let Some((first, _)) = &self.merged {
            return Err(twice(&key, *first).help("merge several mappings with a list: `<<: [*one, *two]`"));
        }
        self.merged = Some((key.span, merged_pairs(value)?));
        Ok(())
    }

    /// The pairs, once the mapping is closed.
    pub(super) fn finish(self) -> Result<Vec<Pair>, Diagnostic> {
        let Self { mut pairs, merged, .. } = self;
        if let Some((key, first)) = find_twice(&pairs) {
            return Err(twice(key, first).help("remove or rename one of the two"));
        }
        if let Some((_, merged)) = merged {
            fold(&mut pairs, merged);
        }
        Ok(pairs)
    }
}

fn twice(key: &Key, first: Span) -> Diagnostic {
    Diagnostic::error(key.span, format!("the key `{}` is written twice", key.text.escape_debug()))
        .label(format!("first written at line {}", first.line))
}

/// A duplicate key, and the place of its first occurrence.
pub(super) fn find_twice(pairs: &[Pair]) -> Option<(&Key, Span)> {
    let mut seen = HashMap::with_capacity(pairs.len());
    pairs.iter().find_map(|pair| seen.insert(pair.key.text.as_str(), pair.key.span).map(|first| (&pair.key, first)))
}

/// The pairs of a merge key, earlier mappings first.
fn merged_pairs(value: Node) -> Result<Vec<Pair>, Diagnostic> {
    let wrong = |node: &Node| {
        Diagnostic::error(node.span, format!("`<<` takes a mapping or a list of mappings, found {}", node.describe()))
            .label("cannot be merged")
            .help("put `<<` in quotes if it is meant as a key")
    };
    let mappings = match value.content {
        Content::List(items) => items.into_vec(),
        Content::Map(_) | Content::Scalar(_) => vec![value],
    };
    let mut all = Vec::new();
    for mapping in mappings {
        match mapping.content {
            Content::Map(pairs) => all.extend(pairs),
            Content::Scalar(_) | Content::List(_) => return Err(wrong(&mapping)),
        }
    }
    Ok(all)
}

/// Adds the merged pairs whose keys are not present yet.
fn fold(pairs: &mut Vec<Pair>, merged: Vec<Pair>) {
    let mut known: HashSet<Name> = pairs.iter().map(|pair| pair.key.text.clone()).collect();
    pairs.extend(merged.into_iter().filter(|pair| known.insert(pair.key.text.clone())));
}
