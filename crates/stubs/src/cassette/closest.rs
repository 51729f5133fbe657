//! Which recorded call was probably meant, and where it differs.

use std::collections::BTreeMap;

use agentci_trace::canonical;
use serde_json::Value;

use super::tape::Entry;

/// How many entries are looked at; a miss should not cost more than the run.
const COMPARED: usize = 2_000;
/// How many of them, those with most in common, are compared letter by letter.
const COMPARED_CLOSELY: usize = 16;
/// How many characters of two texts are compared, and how many texts of an entry.
const TEXT_COMPARED: usize = 64;
const TEXTS_COMPARED: usize = 64;

/// The first place where two values part.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Difference {
    /// A JSON pointer, empty for the whole value.
    pub(super) path: String,
    /// What the recording has there, if anything.
    pub(super) recorded: Option<Value>,
    /// What was asked for, if anything.
    pub(super) requested: Option<Value>,
}

/// The entries most like a call, best first, each with its likeness from 0 to 1: those of the same tool, or of all tools when
/// there are none.
pub(super) fn closest<'e>(entries: &'e [Entry], tool: &str, args: &Value, most: usize) -> Vec<(&'e Entry, f64)> {
    let same_tool = entries.iter().any(|entry| entry.tool == tool);
    let wanted = leaves(args);
    let mut scored: Vec<(&Entry, f64)> = entries
        .iter()
        .filter(|entry| !same_tool || entry.tool == tool)
        .take(COMPARED)
        .map(|entry| (entry, likeness(&leaves(&entry.args), &wanted, 0)))
        .collect();
    scored.sort_by(|(_, a), (_, b)| b.total_cmp(a));
    scored.truncate(COMPARED_CLOSELY.max(most));
    for (entry, score) in &mut scored {
        *score = likeness(&leaves(&entry.args), &wanted, TEXTS_COMPARED);
    }
    scored.sort_by(|(_, a), (_, b)| b.total_cmp(a));
    scored.truncate(most);
    scored
}

/// The share of leaves that agree; so many texts that differ count by how alike they are, the rest a little for being there.
fn likeness(a: &BTreeMap<String, &Value>, b: &BTreeMap<String, &Value>, mut closely: usize) -> f64 {
    let all = a.keys().chain(b.keys().filter(|path| !a.contains_key(*path)));
    let mut count = 0_u32;
    let mut sum = 0.0;
    for path in all {
        count += 1;
        sum += match (a.get(path), b.get(path)) {
            (Some(Value::String(a)), Some(Value::String(b))) => {
                let short = |text: &str| text.chars().take(TEXT_COMPARED).collect::<String>();
                if a == b {
                    1.0
                } else if let Some(left) = closely.checked_sub(1) {
                    closely = left;
                    0.99 * strsim::normalized_levenshtein(&short(a), &short(b))
                } else {
                    0.2
                }
            }
            (Some(a), Some(b)) if canonical(a) == canonical(b) => 1.0,
            (Some(Value::Number(_)), Some(Value::Number(_))) => 0.5,
            _ => 0.0,
        };
    }
    if count == 0 { 1.0 } else { sum / f64::from(count) }
}

/// Every scalar and empty container by its path.
fn leaves(value: &Value) -> BTreeMap<String, &Value> {
    fn walk<'v>(path: &mut String, value: &'v Value, found: &mut BTreeMap<String, &'v Value>) {
        let mut step = |key: &str, value: &'v Value| {
            let length = path.len();
            push_step(path, key);
            walk(path, value, found);
            path.truncate(length);
        };
        match value {
            Value::Object(map) if !map.is_empty() => map.iter().for_each(|(key, value)| step(key, value)),
            Value::Array(items) if !items.is_empty() => {
                items.iter().enumerate().for_each(|(index, value)| step(&index.to_string(), value));
            }
            _ => {
                found.insert(path.clone(), value);
            }
        }
    }
    let mut found = BTreeMap::new();
    walk(&mut String::new(), value, &mut found);
    found
}

/// Appends a step to a JSON pointer.
fn push_step(path: &mut String, key: &str) {
    path.push('/');
    path.push_str(&key.replace('~', "~0").replace('/', "~1"));
}

/// The first place, keys in order, where a recorded value and a requested one part.
pub(super) fn first_difference(recorded: &Value, requested: &Value) -> Option<Difference> {
    fn walk(path: &mut String, recorded: &Value, requested: &Value) -> Option<Difference> {
        match (recorded, requested) {
            (Value::Object(a), Value::Object(b)) => {
                let mut keys: Vec<&String> = a.keys().chain(b.keys().filter(|key| !a.contains_key(*key))).collect();
                keys.sort();
                keys.into_iter().find_map(|key| step(path, key, a.get(key), b.get(key)))
            }
            (Value::Array(a), Value::Array(b)) => {
                (0..a.len().max(b.len())).find_map(|index| step(path, &index.to_string(), a.get(index), b.get(index)))
            }
            _ if canonical(recorded) == canonical(requested) => None,
            _ => Some(Difference {
                path: path.clone(),
                recorded: Some(recorded.clone()),
                requested: Some(requested.clone()),
            }),
        }
    }
    fn step(path: &mut String, key: &str, a: Option<&Value>, b: Option<&Value>) -> Option<Difference> {
        let length = path.len();
        push_step(path, key);
        let found = match (a, b) {
            (Some(a), Some(b)) => walk(path, a, b),
            _ => Some(Difference { path: path.clone(), recorded: a.cloned(), requested: b.cloned() }),
        };
        path.truncate(length);
        found
    }
    walk(&mut String::new(), recorded, requested)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn path(a: &Value, b: &Value) -> Option<String> {
        first_difference(a, b).map(|difference| difference.path)
    }

    #[test]
    fn finds_the_first_difference_in_key_order() {
        assert_eq!(path(&json!({"b": 1, "a": 1}), &json!({"a": 1, "b": 2})), Some("/b".into()));
        assert_eq!(path(&json!({"a": [1, {"x": 1}]}), &json!({"a": [1, {"x": 2}]})), Some("/a/1/x".into()));
        assert_eq!(path(&json!({"a": [1]}), &json!({"a": [1, 2]})), Some("/a/1".into()));
        assert_eq!(path(&json!({"a/b": 1}), &json!({})), Some("/a~1b".into()));
        assert_eq!(path(&json!({"a": 1}), &json!({"a": 1})), None);
        assert_eq!(path(&json!({"a": {}}), &json!({"a": []})), Some("/a".into()));
    }
}
