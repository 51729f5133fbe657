//! Whether two values are the same: objects whatever the order of their keys, numbers whatever they are written like.

use agentci_plan::Detail;
use agentci_trace::decimal;
use serde_json::{Number, Value};

/// Whether two values are the same.
pub(crate) fn same(expected: &Value, actual: &Value) -> bool {
    difference(expected, actual).is_none()
}

/// The first difference between two values.
pub(crate) fn difference(expected: &Value, actual: &Value) -> Option<Detail> {
    let mut path = Vec::new();
    let (expected, actual) = differ(Some(expected), Some(actual), &mut path)?;
    let path = path.into_iter().flat_map(|step| ["/".to_owned(), step.replace('~', "~0").replace('/', "~1")]).collect();
    let or_null = |value: Option<&Value>| value.cloned().unwrap_or_default();
    Some(Detail { path, expected: or_null(expected), actual: or_null(actual) })
}

type Pair<'v> = (Option<&'v Value>, Option<&'v Value>);

fn differ<'v>(expected: Option<&'v Value>, actual: Option<&'v Value>, path: &mut Vec<String>) -> Option<Pair<'v>> {
    let mut inside = |step: String, expected, actual| {
        path.push(step);
        let found = differ(expected, actual, path);
        if found.is_none() {
            path.pop();
        }
        found
    };
    match (expected, actual) {
        (Some(Value::Object(one)), Some(Value::Object(other))) => {
            let more = other.keys().filter(|key| !one.contains_key(*key));
            one.keys().chain(more).find_map(|key| inside(key.clone(), one.get(key), other.get(key)))
        }
        (Some(Value::Array(one)), Some(Value::Array(other))) => {
            let longest = one.len().max(other.len());
            (0..longest).find_map(|index| inside(index.to_string(), one.get(index), other.get(index)))
        }
        (Some(Value::Number(one)), Some(Value::Number(other))) if equal(one, other) => None,
        _ if expected == actual => None,
        _ => Some((expected, actual)),
    }
}

/// By value: `1` is `1.0`. Nothing is rounded.
fn equal(one: &Number, other: &Number) -> bool {
    one == other || decimal(one.as_str()) == decimal(other.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn difference_of(one: &str, other: &str) -> Option<String> {
        let read = |text| serde_json::from_str(text).unwrap();
        difference(&read(one), &read(other)).map(|detail| detail.path)
    }

    #[test]
    fn values_are_the_same_by_what_they_say() {
        for (one, other) in [
            ("1", "1.0"),
            ("100", "1e2"),
            ("-0", "0"),
            ("0.10", "0.1"),
            (r#"{"a":1,"b":[2,{"c":null}]}"#, r#"{"b":[2.0,{"c":null}],"a":1}"#),
            ("123456789012345678901234567890", "123456789012345678901234567890"),
            ("9007199254740993", "9007199254740993.0"),
            ("1e400", "10e399"),
        ] {
            assert_eq!(difference_of(one, other), None, "{one} {other}");
        }
    }

    #[test]
    fn the_first_difference_has_a_path() {
        for (one, other, path) in [
            ("1", "2", ""),
            ("1", "\"1\"", ""),
            ("null", "false", ""),
            ("9007199254740993", "9007199254740992", ""),
            ("9007199254740993", "9007199254740992.0", ""),
            ("0.1", "0.10000000000000001", ""),
            (r#"{"a":{"b":[1,2]}}"#, r#"{"a":{"b":[1,3]}}"#, "/a/b/1"),
            ("[1]", "[1,2]", "/1"),
            ("[1,null]", "[1]", "/1"),
            (r#"{"a":null}"#, "{}", "/a"),
            ("{}", r#"{"x/y":null}"#, "/x~1y"),
        ] {
            assert_eq!(difference_of(one, other).as_deref(), Some(path), "{one} {other}");
        }
    }
}
