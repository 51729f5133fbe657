//! Tells which differences follow from earlier ones: they repeat a value that changed before, or the call that a changed
//! answer of the model requests. Everything else after the first divergence may have a cause of its own.

use std::collections::HashMap;

use serde_json::Value;

use crate::{DiffRow, PartChange, PartKind, StepKind, WordPiece, word_pieces};

/// The maximum number of changed values that are remembered.
const REMEMBERED: usize = 500;
/// The length of two texts together up to which they are compared word by word.
const LONGEST_TEXT: usize = 20_000;
/// The shortest text that is replaced within longer ones: `a` is in every sentence.
const REPLACED: usize = 3;

/// The changes of the rows so far, with the position of the row.
#[derive(Debug, Default)]
pub(crate) struct Explanations {
    pairs: Vec<(String, String, usize)>,
    gone: HashMap<String, usize>,
    new: HashMap<String, usize>,
    requested: HashMap<String, usize>,
    dropped: HashMap<String, usize>,
}

impl Explanations {
    /// The earlier row that explains all that differs in this one.
    pub(crate) fn row(&self, row: &DiffRow<'_>) -> Option<usize> {
        match (row.old, row.new) {
            (Some(old), Some(_)) => {
                let of_arguments = |change: &&PartChange| change.part == PartKind::Arguments;
                let arguments_changed = row.changes.iter().any(|change| of_arguments(&change));
                // What a tool returns follows from what it is asked.
                let follows = |change: &&PartChange| {
                    let of_result = matches!(change.part, PartKind::Result | PartKind::Error);
                    !(old.kind == StepKind::Call && of_result && arguments_changed)
                };
                earliest(row.changes.iter().filter(follows).map(|change| self.change(change)))
            }
            (old, new) => {
                let (step, calls, values) = match (old, new) {
                    (None, Some(new)) => (new, &self.requested, &self.new),
                    (Some(old), _) => (old, &self.dropped, &self.gone),
                    (None, None) => return None,
                };
                match step.kind {
                    StepKind::Call => calls.get(&step.name).copied(),
                    StepKind::Model => self.leaves(step.known(PartKind::Messages)?, values, old.is_none()),
                    _ => None,
                }
            }
        }
    }

    fn change(&self, change: &PartChange) -> Option<usize> {
        if change.only_fingerprint {
            return None;
        }
        match (&change.change.old, &change.change.new) {
            (Some(old), Some(new)) => self.replaced(&plain(old), &plain(new)),
            (None, Some(new)) => self.leaves(new, &self.new, true),
            (Some(old), None) => self.leaves(old, &self.gone, false),
            (None, None) => None,
        }
    }

    /// Whether every value in here is one that was new, or gone, before.
    fn leaves(&self, value: &Value, known: &HashMap<String, usize>, is_new: bool) -> Option<usize> {
        let of_pair = |leaf: &String| {
            let same = |(old, new, _): &&(String, String, usize)| if is_new { new == leaf } else { old == leaf };
            self.pairs.iter().find(same).map(|(_, _, row)| *row)
        };
        let mut leaves = Vec::new();
        texts(value, &mut leaves);
        leaves.retain(|leaf| !is_role(leaf));
        earliest(leaves.iter().map(|leaf| known.get(leaf).copied().or_else(|| of_pair(leaf))))
    }

    fn replaced(&self, old: &str, new: &str) -> Option<usize> {
        let pair = |(one, other, _): &&(String, String, usize)| {
            one == old && other == new
                || (one.chars().count() >= REPLACED
                    && old.contains(one.as_str())
                    && old.replace(one.as_str(), other) == new)
        };
        if let Some((_, _, row)) = self.pairs.iter().find(pair) {
            return Some(*row);
        }
        let bare = |text: &str| text.trim_matches(|c: char| !c.is_alphanumeric()).to_owned();
        // Comparing long texts word by word is slow, and in vain if they repeat no changed value.
        let repeats = |(one, _, _): &(String, String, usize)| {
            let one = bare(one);
            !one.is_empty() && old.contains(&one)
        };
        if old.len() + new.len() > LONGEST_TEXT || !self.pairs.iter().any(repeats) {
            return None;
        }
        let pieces = word_pieces(old, new);
        if !pieces.iter().any(|piece| matches!(piece, WordPiece::Same(_))) {
            return None;
        }
        let known = |one: &str, other: &str| {
            let (one, other) = (bare(one), bare(other));
            self.pairs.iter().find(|(a, b, _)| bare(a) == one && bare(b) == other).map(|(_, _, row)| *row)
        };
        let mut found = Vec::new();
        let mut at = 0;
        while at < pieces.len() {
            match (pieces[at], pieces.get(at + 1)) {
                (WordPiece::Same(_), _) => at += 1,
                (WordPiece::Old(one), Some(WordPiece::New(other))) => {
                    found.push(known(one, other));
                    at += 2;
                }
                _ => return None,
            }
        }
        earliest(found.into_iter())
    }

    /// Remembers what differs in a row.
    pub(crate) fn add(&mut self, row: &DiffRow<'_>, at: usize) {
        for change in &row.changes {
            let (old, new) = (&change.change.old, &change.change.new);
            if change.part == PartKind::Requested {
                if let Some(name) = new.as_ref().and_then(Value::as_str) {
                    self.requested.entry(name.to_owned()).or_insert(at);
                }
                if let Some(name) = old.as_ref().and_then(Value::as_str) {
                    self.dropped.entry(name.to_owned()).or_insert(at);
                }
                for (value, into) in [(old, &mut self.dropped), (new, &mut self.requested)] {
                    for name in value.iter().filter_map(Value::as_array).flatten().filter_map(Value::as_str) {
                        into.entry(name.to_owned()).or_insert(at);
                    }
                }
                continue;
            }
            match (old, new) {
                (Some(old), Some(new)) if self.pairs.len() < REMEMBERED => {
                    self.pairs.push((plain(old), plain(new), at));
                }
                (Some(value), None) => remember(&mut self.gone, value, at),
                (None, Some(value)) => remember(&mut self.new, value, at),
                _ => {}
            }
        }
        if let (Some(step), None) | (None, Some(step)) = (row.old, row.new) {
            let into = if row.old.is_none() { &mut self.new } else { &mut self.gone };
            for kind in [PartKind::Result, PartKind::Error, PartKind::Answer] {
                step.known(kind).into_iter().for_each(|value| remember(into, value, at));
            }
            let calls = if row.old.is_none() { &mut self.requested } else { &mut self.dropped };
            let names = step.known(PartKind::Requested).and_then(Value::as_array);
            for name in names.into_iter().flatten().filter_map(Value::as_str) {
                calls.entry(name.to_owned()).or_insert(at);
            }
        }
    }
}

fn remember(into: &mut HashMap<String, usize>, value: &Value, at: usize) {
    let mut leaves = Vec::new();
    texts(value, &mut leaves);
    for leaf in leaves.into_iter().chain([plain(value)]) {
        if into.len() < REMEMBERED {
            into.entry(leaf).or_insert(at);
        }
    }
}

/// The earliest row, if all have one and there is any.
fn earliest(rows: impl Iterator<Item = Option<usize>>) -> Option<usize> {
    rows.collect::<Option<Vec<usize>>>()?.into_iter().min()
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn is_role(text: &str) -> bool {
    ["user", "assistant", "tool"].contains(&text)
}

/// The values inside a value that could be recognised elsewhere; JSON inside a text is looked into.
fn texts(value: &Value, into: &mut Vec<String>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| texts(item, into)),
        Value::Object(map) => map.values().for_each(|item| texts(item, into)),
        Value::Null | Value::Bool(_) => {}
        Value::Number(number) => into.push(number.to_string()),
        Value::String(text) => match serde_json::from_str::<Value>(text) {
            Ok(inner @ (Value::Array(_) | Value::Object(_))) if text.len() < 100_000 => texts(&inner, into),
            _ if text.is_empty() => {}
            _ => into.push(text.clone()),
        },
    }
}
