//! Where two JSON values differ first.

use serde_json::Value;

use crate::pointer;

/// The first place where two values differ.
#[derive(Debug, Clone, PartialEq)]
pub struct Difference {
    /// A JSON pointer, empty for the whole value.
    pub path: String,
    /// The expected value; `None` if none is expected there.
    pub expected: Option<Value>,
    /// The actual value; `None` if there is none.
    pub actual: Option<Value>,
}

/// The first difference, in the order of the expected value; keys that only the actual value has come last. `same`
/// compares two values that are not both objects and not both lists.
pub fn first_difference(expected: &Value, actual: &Value, same: impl Fn(&Value, &Value) -> bool) -> Option<Difference> {
    walk(&mut String::new(), expected, actual, &same)
}

fn walk(
    path: &mut String,
    expected: &Value,
    actual: &Value,
    same: &impl Fn(&Value, &Value) -> bool,
) -> Option<Difference> {
    match (expected, actual) {
        (Value::Object(one), Value::Object(other)) => {
            let more = other.keys().filter(|key| !one.contains_key(*key));
            one.keys().chain(more).find_map(|key| step(path, key, (one.get(key), other.get(key)), same))
        }
        (Value::Array(one), Value::Array(other)) => {
            let mut indices = 0..one.len().max(other.len());
            indices.find_map(|index| step(path, &index.to_string(), (one.get(index), other.get(index)), same))
        }
        _ if same(expected, actual) => None,
        _ => Some(Difference { path: path.clone(), expected: Some(expected.clone()), actual: Some(actual.clone()) }),
    }
}

fn step(
    path: &mut String,
    key: &str,
    values: (Option<&Value>, Option<&Value>),
    same: &impl Fn(&Value, &Value) -> bool,
) -> Option<Difference> {
    let length = path.len();
    pointer::push(path, key);
    let found = match values {
        (Some(expected), Some(actual)) => walk(path, expected, actual, same),
        (expected, actual) => {
            Some(Difference { path: path.clone(), expected: expected.cloned(), actual: actual.cloned() })
        }
    };
    path.truncate(length);
    found
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn path(expected: &Value, actual: &Value) -> Option<String> {
        first_difference(expected, actual, |one, other| one == other).map(|difference| difference.path)
    }

    #[test]
    fn finds_path_of_first_difference() {
        assert_eq!(path(&json!({"b": 1, "a": 1}), &json!({"a": 1, "b": 2})), Some("/b".into()));
        assert_eq!(path(&json!({"z": 1, "a": 1}), &json!({"z": 2, "a": 2})), Some("/z".into()));
        assert_eq!(path(&json!({"a": [1, {"x": 1}]}), &json!({"a": [1, {"x": 2}]})), Some("/a/1/x".into()));
        assert_eq!(path(&json!([1]), &json!([1, 2])), Some("/1".into()));
        assert_eq!(path(&json!({"a/b": 1}), &json!({})), Some("/a~1b".into()));
        assert_eq!(path(&json!({"a": {}}), &json!({"a": []})), Some("/a".into()));
        assert_eq!(path(&json!({}), &json!([])), Some(String::new()));
        assert_eq!(path(&json!({"a": 1, "b": 2}), &json!({"b": 2, "a": 1})), None);
        assert_eq!(path(&json!(1), &json!(1.0)), Some(String::new()));
    }

    #[test]
    fn missing_value_differs_from_null() {
        let difference = first_difference(&json!({"a": null}), &json!({}), |one, other| one == other);
        assert_eq!(difference, Some(Difference { path: "/a".into(), expected: Some(Value::Null), actual: None }));
    }
}
