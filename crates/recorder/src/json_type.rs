//! The types of JSON values, and what messages call them.

use serde_json::Value;

/// What a value is. Types are in the order in which messages name them.
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
