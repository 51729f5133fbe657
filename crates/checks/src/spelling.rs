//! Values as the texts that patterns are matched against: a string as it is, any other value as JSON.

use std::borrow::Cow;
use std::io;

use serde::Serialize;
use serde_json::Value;
use serde_json::ser::{Formatter, Serializer};

/// JSON without spaces: `{"a":[1,2]}`.
pub(crate) fn compact(value: &Value) -> Cow<'_, str> {
    match value {
        Value::String(text) => Cow::Borrowed(text),
        other => Cow::Owned(other.to_string()),
    }
}

/// JSON without spaces and with sorted keys; null is empty.
pub(crate) fn sorted(value: &Value) -> Cow<'_, str> {
    match value {
        Value::Null => Cow::Borrowed(""),
        Value::String(text) => Cow::Borrowed(text),
        other => {
            let mut other = other.clone();
            other.sort_all_objects();
            Cow::Owned(other.to_string())
        }
    }
}

/// JSON with a space after `:` and `,`, as Python writes it: `{"a": [1, 2]}`.
pub(crate) fn spaced(value: &Value) -> Cow<'_, str> {
    let (Value::Array(_) | Value::Object(_)) = value else { return compact(value) };
    let mut bytes = Vec::new();
    // Writing a value into memory does not fail.
    match value.serialize(&mut Serializer::with_formatter(&mut bytes, PythonSpacing)) {
        Ok(()) => Cow::Owned(String::from_utf8_lossy(&bytes).into_owned()),
        Err(_) => compact(value),
    }
}

struct PythonSpacing;

impl Formatter for PythonSpacing {
    fn begin_array_value<W: ?Sized + io::Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        if first { Ok(()) } else { writer.write_all(b", ") }
    }

    fn begin_object_key<W: ?Sized + io::Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        if first { Ok(()) } else { writer.write_all(b", ") }
    }

    fn begin_object_value<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        writer.write_all(b": ")
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn sorted_form_has_sorted_keys_and_no_spaces() {
        let value = json!({"b": [{"d": 1, "c": "<&>"}], "a": null});
        assert_eq!(sorted(&value), r#"{"a":null,"b":[{"c":"<&>","d":1}]}"#);
        assert_eq!(
            (sorted(&json!(null)), sorted(&json!("x")), sorted(&json!(false))),
            ("".into(), "x".into(), "false".into())
        );
    }

    #[test]
    fn values_have_compact_and_spaced_forms() {
        let value: Value = serde_json::from_str(r#"{"a":[1.50,{"b":null,"c":"x:y,z"}],"d":{}}"#).unwrap();
        assert_eq!(compact(&value), r#"{"a":[1.50,{"b":null,"c":"x:y,z"}],"d":{}}"#);
        assert_eq!(spaced(&value), r#"{"a": [1.50, {"b": null, "c": "x:y,z"}], "d": {}}"#);
        assert_eq!((compact(&json!("a:b")), spaced(&json!("a:b"))), ("a:b".into(), "a:b".into()));
        assert_eq!((compact(&json!(null)), spaced(&json!(null))), ("null".into(), "null".into()));
    }
}
