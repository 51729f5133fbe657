//! Finds the recorded requests most similar to a request.

use std::collections::BTreeMap;

use agentci_text::{excerpt, pointer};
use agentci_trace::canonical;
use serde_json::Value;

/// Maximum length of a text in the message about a miss.
const SHOWN: usize = 160;
/// Maximum number of candidates to compare, so that a miss stays cheap.
const COMPARED: usize = 2_000;
/// Maximum number of candidates, those with most in common, whose strings are compared by edit distance.
const COMPARED_CLOSELY: usize = 16;
/// Maximum number of characters compared of a string, and of strings compared of a value.
const TEXT_COMPARED: usize = 64;
const TEXTS_COMPARED: usize = 64;

/// Whether two scalars, or two values of different types, are equal.
pub(crate) type Same = fn(&Value, &Value) -> bool;

/// The candidates most similar to a request, best first, each with its similarity from 0 to 1.
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

/// The share of equal leaves. The first `closely` strings that differ count by their edit distance, further ones a
/// little for being present.
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

/// A text, shortened for the message about a miss.
pub(crate) fn cut(text: &str) -> String {
    excerpt(text, SHOWN).into_owned()
}

/// A value for the message about a miss; `nothing` if it is absent.
pub(crate) fn shown(value: Option<&Value>) -> String {
    value.map_or("nothing".to_owned(), |value| cut(&canonical(value)))
}

/// Every scalar and empty container, by its path.
fn leaves(value: &Value) -> BTreeMap<String, &Value> {
    fn walk<'v>(path: &mut String, value: &'v Value, found: &mut BTreeMap<String, &'v Value>) {
        let mut step = |key: &str, value: &'v Value| {
            let length = path.len();
            pointer::push(path, key);
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
