//! Whether two values are the same: objects whatever the order of their keys, numbers whatever they are written like.

use agentci_text::{Difference, first_difference};
use agentci_trace::decimal;
use agentci_verdict::Detail;
use serde_json::{Number, Value};

/// Whether two values are the same.
pub(crate) fn same(expected: &Value, actual: &Value) -> bool {
    difference(expected, actual).is_none()
}

/// The first difference between two values.
pub(crate) fn difference(expected: &Value, actual: &Value) -> Option<Detail> {
    let Difference { path, expected, actual } = first_difference(expected, actual, same_scalar)?;
    Some(Detail { path, expected: expected.unwrap_or_default(), actual: actual.unwrap_or_default() })
}

fn same_scalar(expected: &Value, actual: &Value) -> bool {
    match (expected, actual) {
        (Value::Number(one), Value::Number(other)) => equal(one, other),
        _ => expected == actual,
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
