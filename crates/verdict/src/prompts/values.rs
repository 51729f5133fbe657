//! Compares two JSON values leaf by leaf.

use agentci_text::shorten;
use agentci_trace::same_value;
use serde_json::Value;

/// The maximum number of differing leaves that are reported.
const TOLD: usize = 5;
/// The number of characters of a value that are shown.
const SHOWN: usize = 60;
/// The maximum depth of the comparison; anything deeper is compared as a whole.
const DEPTH: usize = 32;

/// A difference between two values: its path with dots, the old and the new value.
pub(super) struct ValueDifference<'v> {
    pub(super) path: String,
    pub(super) old: Option<&'v Value>,
    pub(super) new: Option<&'v Value>,
}

/// All differences between two values.
pub(super) fn leaves<'v>(path: &str, old: Option<&'v Value>, new: Option<&'v Value>) -> Vec<ValueDifference<'v>> {
    let mut found = Vec::new();
    walk(path.to_owned(), old, new, DEPTH, &mut found);
    found
}

fn walk<'v>(
    path: String,
    old: Option<&'v Value>,
    new: Option<&'v Value>,
    depth: usize,
    found: &mut Vec<ValueDifference<'v>>,
) {
    match (old, new) {
        (Some(Value::Object(one)), Some(Value::Object(other))) if depth > 0 => {
            let more = other.keys().filter(|key| !one.contains_key(*key));
            for key in one.keys().chain(more) {
                let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
                walk(path, one.get(key), other.get(key), depth - 1, found);
            }
        }
        (Some(one), Some(other)) if same_value(one, other) => {}
        (None, None) => {}
        _ => found.push(ValueDifference { path, old, new }),
    }
}

/// `temperature 0 -> 0.7`, for each difference.
pub(super) fn changes(leaves: &[ValueDifference<'_>]) -> Vec<String> {
    let mut told: Vec<String> = leaves
        .iter()
        .take(TOLD)
        .map(|ValueDifference { path, old, new }| format!("{path} {} -> {}", shown(*old), shown(*new)))
        .collect();
    if leaves.len() > TOLD {
        told.push(format!("{} more parameters changed", leaves.len() - TOLD));
    }
    told
}

/// A value as shown in a sentence.
pub(super) fn shown(value: Option<&Value>) -> String {
    match value {
        None => "not set".to_owned(),
        Some(Value::String(text)) => shorten(text, SHOWN).into_owned(),
        Some(value) => shorten(&value.to_string(), SHOWN).into_owned(),
    }
}
