//! Where a recorded request and the one that is sent part. A recorded placeholder stands for any text.

use agentci_trace::{PLACEHOLDER, canonical, fits_recorded};
use serde_json::Value;

/// How much of a value is shown.
const SHOWN: usize = 160;

/// The first place where two values part.
#[derive(Debug, Clone, PartialEq)]
pub struct Difference {
    /// A JSON pointer, empty for the whole value.
    pub path: String,
    /// What the recording has there, if anything.
    pub recorded: Option<Value>,
    /// What is sent now, if anything.
    pub sent: Option<Value>,
}

/// The first place, in the order of the recording, where a recorded value and one that is sent part.
pub fn first_difference(recorded: &Value, sent: &Value) -> Option<Difference> {
    walk(&mut String::new(), recorded, sent)
}

/// One side of a difference in a message.
pub fn shown(value: Option<&Value>) -> String {
    let Some(value) = value else { return "nothing".into() };
    let text = canonical(value);
    let mut short: String = text.chars().take(SHOWN).collect();
    if short.len() < text.len() {
        short.push_str("...");
    }
    short
}

fn walk(path: &mut String, recorded: &Value, sent: &Value) -> Option<Difference> {
    match (recorded, sent) {
        (Value::Object(a), Value::Object(b)) => {
            let keys = a.keys().chain(b.keys().filter(|key| !a.contains_key(*key)));
            keys.into_iter().find_map(|key| step(path, key, a.get(key), b.get(key)))
        }
        (Value::Array(a), Value::Array(b)) => {
            (0..a.len().max(b.len())).find_map(|index| step(path, &index.to_string(), a.get(index), b.get(index)))
        }
        (Value::String(recorded), Value::String(sent)) if fits_recorded(recorded, sent) => None,
        // Something else that was secret.
        (Value::String(recorded), _) if recorded == PLACEHOLDER => None,
        _ if canonical(recorded) == canonical(sent) => None,
        _ => Some(Difference { path: path.clone(), recorded: Some(recorded.clone()), sent: Some(sent.clone()) }),
    }
}

fn step(path: &mut String, key: &str, a: Option<&Value>, b: Option<&Value>) -> Option<Difference> {
    let length = path.len();
    path.push('/');
    path.push_str(&key.replace('~', "~0").replace('/', "~1"));
    let found = match (a, b) {
        (Some(a), Some(b)) => walk(path, a, b),
        _ => Some(Difference { path: path.clone(), recorded: a.cloned(), sent: b.cloned() }),
    };
    path.truncate(length);
    found
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn path(recorded: &Value, sent: &Value) -> Option<String> {
        first_difference(recorded, sent).map(|difference| difference.path)
    }

    #[test]
    fn finds_the_first_place() {
        assert_eq!(
            path(&json!({"a": 1, "b": [1, {"x": 1}]}), &json!({"b": [1, {"x": 2}], "a": 1})),
            Some("/b/1/x".into())
        );
        assert_eq!(path(&json!({"z": 1, "a": 1}), &json!({"z": 2, "a": 2})), Some("/z".into()));
        assert_eq!(path(&json!([1]), &json!([1, 2])), Some("/1".into()));
        assert_eq!(path(&json!({"a/b": 1}), &json!({})), Some("/a~1b".into()));
        assert_eq!(path(&json!({}), &json!([])), Some(String::new()));
        assert_eq!(path(&json!({"a": 1, "b": 2}), &json!({"b": 2, "a": 1})), None);
        assert_eq!(path(&json!(1), &json!(1.0)), Some(String::new()));
    }

    #[test]
    fn a_placeholder_stands_for_what_was_secret() {
        let recorded = json!({"token": "[REDACTED]", "note": "pw [REDACTED] end"});
        assert_eq!(path(&recorded, &json!({"token": 12_345, "note": "pw hunter22 end"})), None);
        assert_eq!(path(&recorded, &json!({"token": "x", "note": "pw hunter22"})), Some("/note".into()));
    }
}
