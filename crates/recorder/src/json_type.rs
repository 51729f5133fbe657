//! The types of JSON values and their names in messages.

use serde_json::Value;

/// The type of a value. Types are ordered as messages list them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ValueType {
    rank: u8,
    pub(crate) name: &'static str,
}

impl ValueType {
    pub(crate) fn of(value: &Value) -> Self {
        let (rank, name) = match value {
            Value::Null => (0, "null"),
            Value::Bool(_) => (1, "a boolean"),
            Value::Number(_) => (2, "a number"),
            Value::String(_) => (3, "a string"),
            Value::Array(_) => (4, "a list"),
            Value::Object(_) => (5, "an object"),
        };
        Self { rank, name }
    }
}
