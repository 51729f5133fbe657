//! Which recorded request was probably meant, and where it differs.

use std::collections::BTreeMap;

use serde_json::Value;

/// How many candidates are looked at; a miss should not cost more than the run.
const COMPARED: usize = 2_000;
/// How many of them, those with most in common, are compared letter by letter.
const COMPARED_CLOSELY: usize = 16;
/// How many characters of two texts are compared, and how many texts of a value.
const TEXT_COMPARED: usize = 64;
const TEXTS_COMPARED: usize = 64;

/// The first place where two values part.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Difference {
    /// A JSON pointer, empty for the whole value.
    pub(crate) path: String,
    /// What the recording has there, if anything.
    pub(crate) recorded: Option<Value>,
    /// What was asked for, if anything.
    pub(crate) requested: Option<Value>,
}

/// Whether two scalars, or two values of different kinds, are the same.
pub(crate) type Same = fn(&Value, &Value) -> bool;

/// The candidates most like a request, best first, each with its likeness from 0 to 1.
pub(crate) fn closest<'v, T>(
    candidates: impl Iterator<Item = (T, &'v Value)>,
    requested: &Value,
    most: usize,
    same: Same,
) -> Vec<(T, f64)> {
    let wanted = leaves(requested);
    let mut scored: Vec<(T, &Value, f64)> = candidates
        .take(COMPARED)
        .map(|(candidate, value)| (candidate, value, likeness(&leaves(value), &wanted, 0, same)))
        .collect();
    scored.sort_by(|(_, _, a), (_, _, b)| b.total_cmp(a));
    scored.truncate(COMPARED_CLOSELY.max(most));
    for (_, value, score) in &mut scored {
        *score = likeness(&leaves(value), &wanted, TEXTS_COMPARED, same);
    }
    scored.sort_by(|(_, _, a), (_, _, b)| b.total_cmp(a));
    scored.into_iter().take(most).map(|(candidate, _, score)| (candidate, score)).collect()
}

/// The share of leaves that agree; so many texts that differ count by how alike they are, the rest a little for being there.
fn likeness(a: &BTreeMap<String, &Value>, b: &BTreeMap<String, &Value>, mut closely: usize, same: Same) -> f64 {
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
            (Some(a), Some(b)) if same(a, b) => 1.0,
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
pub(crate) fn first_difference(recorded: &Value, requested: &Value, same: Same) -> Option<Difference> {
    walk(&mut String::new(), recorded, requested, same)
}

fn walk(path: &mut String, recorded: &Value, requested: &Value, same: Same) -> Option<Difference> {
    match (recorded, requested) {
        (Value::Object(a), Value::Object(b)) => {
            let mut keys: Vec<&String> = a.keys().chain(b.keys().filter(|key| !a.contains_key(*key))).collect();
            keys.sort();
            keys.into_iter().find_map(|key| step(path, key, (a.get(key), b.get(key)), same))
        }
        (Value::Array(a), Value::Array(b)) => {
            let mut indices = 0..a.len().max(b.len());
            indices.find_map(|index| step(path, &index.to_string(), (a.get(index), b.get(index)), same))
        }
        _ if same(recorded, requested) => None,
        _ => Some(Difference {
            path: path.clone(),
            recorded: Some(recorded.clone()),
            requested: Some(requested.clone()),
        }),
    }
}

fn step(
    path: &mut String,
    key: &str,
    (recorded, requested): (Option<&Value>, Option<&Value>),
    same: Same,
) -> Option<Difference> {
    let length = path.len();
    push_step(path, key);
    let found = match (recorded, requested) {
        (Some(recorded), Some(requested)) => walk(path, recorded, requested, same),
        _ => Some(Difference { path: path.clone(), recorded: recorded.cloned(), requested: requested.cloned() }),
    };
    path.truncate(length);
    found
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn path(a: &Value, b: &Value) -> Option<String> {
        first_difference(a, b, |a, b| a == b).map(|difference| difference.path)
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
