//! A JSON object whose fields are taken out one by one, for lines of a known shape.
//!
//! There are few fields, each is asked for once, and none is kept: a list of them takes a fraction of what a map does.

use std::marker::PhantomData;

use serde_json::{Map, Value};

/// The fields of an object that nobody has taken yet, in their order.
#[derive(Debug, Default)]
pub struct ObjectFields<'l> {
    fields: Map<String, Value>,
    line: PhantomData<&'l [u8]>,
}

/// Why a line is no object.
#[derive(Debug, thiserror::Error)]
pub enum NotAnObjectError {
    /// It is not JSON.
    #[error(transparent)]
    Json(serde_json::Error),
    /// It is some other JSON.
    #[error("it is JSON, but not an object")]
    Other,
}

impl NotAnObjectError {
    /// What is wrong with the line that was read, without the position, which is always on its first line.
    pub fn words(&self, line: &[u8]) -> String {
        let Self::Json(error) = self else { return self.to_string() };
        // Python writes these three, and reads them.
        let from = error.column().saturating_sub(2).min(line.len());
        let rest = line[from..].trim_ascii_start();
        let rest = rest.strip_prefix(b":").or(rest.strip_prefix(b",")).or(rest.strip_prefix(b"[")).unwrap_or(rest);
        let found = ["NaN", "Infinity", "-Infinity"].into_iter().find(|word| rest.starts_with(word.as_bytes()));
        if let Some(word) = found {
            return format!("it is not JSON, which has no `{word}`: write null or a text");
        }
        let text = error.to_string();
        format!("it is not JSON: {}", text.split_once(" at line").map_or(&*text, |(words, _)| words))
    }
}

impl<'l> ObjectFields<'l> {
    /// Reads a line that is one object.
    pub fn read(line: &'l [u8]) -> Result<Self, NotAnObjectError> {
        match serde_json::from_slice(line) {
            Ok(Value::Object(fields)) => Ok(Self { fields, line: PhantomData }),
            Ok(_) => Err(NotAnObjectError::Other),
            Err(error) => Err(NotAnObjectError::Json(error)),
        }
    }

    /// Takes a field out; of several with one name the last counts.
    pub fn take(&mut self, name: &str) -> Option<Value> {
        self.fields.shift_remove(name)
    }

    /// The name of the first field that is left.
    pub fn left(&self) -> Option<&str> {
        self.fields.keys().next().map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn fields_are_taken_once_and_the_last_of_a_name_counts() {
        let mut fields = ObjectFields::read(br#"{"a":1,"b":{"c":1.10},"a":2,"\u0064":3}"#).unwrap();
        assert_eq!(fields.take("a"), Some(json!(2)));
        assert_eq!(fields.take("a"), None);
        assert_eq!(fields.left(), Some("b"));
        assert_eq!(fields.take("b").map(|value| value.to_string()), Some(r#"{"c":1.10}"#.into()));
        assert_eq!(fields.take("d"), Some(json!(3)));
        assert_eq!(fields.left(), None);
    }

    #[test]
    fn what_is_no_object_is_told_from_what_is_no_json() {
        for line in ["[1]", "7", "\"a\"", "null"] {
            assert!(matches!(ObjectFields::read(line.as_bytes()), Err(NotAnObjectError::Other)), "{line}");
        }
        for line in ["", "{\"a\":", "{\"a\":1} 2", "{1:2}", "[1", "{\"a\":\"\\ud800\"}"] {
            assert!(matches!(ObjectFields::read(line.as_bytes()), Err(NotAnObjectError::Json(_))), "{line}");
        }
        let deep = format!("{{\"a\":{}{}}}", "[".repeat(1000), "]".repeat(1000));
        assert!(matches!(ObjectFields::read(deep.as_bytes()), Err(NotAnObjectError::Json(_))));
    }
}
