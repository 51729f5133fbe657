//! JSON objects whose fields are taken out one by one, for lines of a known format.
//!
//! There are few fields, and each is read once: a list is much cheaper than a map.

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::Value;

/// The fields of an object in order. The name of a taken value remains.
#[derive(Debug, Default)]
pub struct ObjectFields<'l>(Vec<(FieldName<'l>, Option<Value>)>);

/// Borrowed from the line unless it contains escapes.
#[derive(Debug, Deserialize)]
struct FieldName<'l>(#[serde(borrow)] Cow<'l, str>);

/// Why a line is not an object.
#[derive(Debug, thiserror::Error)]
pub enum NotAnObjectError {
    /// It is not JSON.
    #[error(transparent)]
    Json(serde_json::Error),
    /// It is another JSON value.
    #[error("it is JSON, but not an object")]
    Other,
}

impl NotAnObjectError {
    /// The message for the line that was read, without the position, which is always on line 1.
    pub fn words(&self, line: &str) -> String {
        let Self::Json(error) = self else { return self.to_string() };
        // Python's JSON module writes and reads these three.
        let from = error.column().saturating_sub(2).min(line.len());
        let rest = line.as_bytes()[from..].trim_ascii_start();
        let rest = rest.strip_prefix(b":").or(rest.strip_prefix(b",")).or(rest.strip_prefix(b"[")).unwrap_or(rest);
        let found = ["NaN", "Infinity", "-Infinity"].into_iter().find(|word| rest.starts_with(word.as_bytes()));
        if let Some(word) = found {
            return format!("it is not JSON, which has no `{word}`: write null or a string");
        }
        let text = agentci_text::json_error(error);
        format!("it is not JSON: {}", text.split_once(" at line").map_or(&*text, |(words, _)| words))
    }
}

impl<'l> ObjectFields<'l> {
    pub fn read(line: &'l str) -> Result<Self, NotAnObjectError> {
        serde_json::from_str(line).map_err(|_| match serde_json::from_str::<Value>(line) {
            Ok(_) => NotAnObjectError::Other,
            Err(error) => NotAnObjectError::Json(error),
        })
    }

    /// Takes a field out; if a name occurs several times, the last one counts.
    pub fn take(&mut self, name: &str) -> Option<Value> {
        let named = self.0.iter_mut().filter(|(field, _)| field.0 == name);
        named.filter_map(|(_, value)| value.take()).last()
    }

    /// The name of the first remaining field.
    pub fn left(&self) -> Option<&str> {
        self.0.iter().find(|(_, value)| value.is_some()).map(|(field, _)| &*field.0)
    }
}

impl Extend<(String, Value)> for ObjectFields<'_> {
    fn extend<I: IntoIterator<Item = (String, Value)>>(&mut self, fields: I) {
        self.0.extend(fields.into_iter().map(|(name, value)| (FieldName(name.into()), Some(value))));
    }
}

impl<'de> Deserialize<'de> for ObjectFields<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct FieldsVisitor;

        impl<'de> Visitor<'de> for FieldsVisitor {
            type Value = ObjectFields<'de>;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("an object")
            }

            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Self::Value, M::Error> {
                let mut fields = Vec::new();
                while let Some((name, value)) = map.next_entry()? {
                    fields.push((name, Some(value)));
                }
                Ok(ObjectFields(fields))
            }
        }

        deserializer.deserialize_map(FieldsVisitor)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn fields_are_taken_once_and_last_duplicate_wins() {
        let mut fields = ObjectFields::read(r#"{"a":1,"b":{"c":1.10},"a":2,"\u0064":3}"#).unwrap();
        assert_eq!(fields.take("a"), Some(json!(2)));
        assert_eq!(fields.take("a"), None);
        assert_eq!(fields.left(), Some("b"));
        assert_eq!(fields.take("b").map(|value| value.to_string()), Some(r#"{"c":1.10}"#.into()));
        assert_eq!(fields.take("d"), Some(json!(3)));
        assert_eq!(fields.left(), None);
    }

    #[test]
    fn a_value_that_is_not_an_object_is_distinguished_from_invalid_json() {
        for line in ["[1]", "7", "\"a\"", "null"] {
            assert!(matches!(ObjectFields::read(line), Err(NotAnObjectError::Other)), "{line}");
        }
        for line in ["", "{\"a\":", "{\"a\":1} 2", "{1:2}", "[1", "{\"a\":\"\\ud800\"}"] {
            assert!(matches!(ObjectFields::read(line), Err(NotAnObjectError::Json(_))), "{line}");
        }
        let deep = format!("{{\"a\":{}{}}}", "[".repeat(1000), "]".repeat(1000));
        assert!(matches!(ObjectFields::read(&deep), Err(NotAnObjectError::Json(_))));
    }
}
