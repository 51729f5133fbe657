//! Reads the fields of an agent's JSON strictly.

use serde_json::{Map, Value};

/// Why an answer is invalid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct A2aError(pub String);

/// The fields of an object. Optional fields may also be null.
#[derive(Debug)]
pub(super) struct A2aFields<'v> {
    /// The name of the object for messages, such as `a task`.
    what: &'static str,
    map: &'v Map<String, Value>,
}

impl<'v> A2aFields<'v> {
    pub(super) fn open(value: &'v Value, what: &'static str) -> Result<Self, A2aError> {
        match value.as_object() {
            Some(map) => Ok(Self { what, map }),
            None => Err(A2aError(format!("{what} must be an object, found {}", shown(value)))),
        }
    }

    /// Any value but null.
    pub(super) fn any(&self, name: &str) -> Option<&'v Value> {
        self.map.get(name).filter(|value| !value.is_null())
    }

    /// Any value but null; required.
    pub(super) fn required(&self, name: &str) -> Result<&'v Value, A2aError> {
        self.any(name).ok_or_else(|| self.missing(name))
    }

    /// An optional string; an empty one counts as missing, as in protocol buffers.
    pub(super) fn text(&self, name: &str) -> Result<Option<String>, A2aError> {
        let text = self.optional(name, "a string", Value::is_string)?.and_then(Value::as_str);
        Ok(text.filter(|text| !text.is_empty()).map(str::to_owned))
    }

    pub(super) fn required_text(&self, name: &str) -> Result<String, A2aError> {
        self.text(name)?.ok_or_else(|| self.missing(name))
    }

    /// An optional list.
    pub(super) fn list(&self, name: &str) -> Result<&'v [Value], A2aError> {
        let list = self.optional(name, "a list", Value::is_array)?.and_then(Value::as_array);
        Ok(list.map(Vec::as_slice).unwrap_or_default())
    }

    /// An optional boolean. Default: false.
    pub(super) fn switch(&self, name: &str) -> Result<bool, A2aError> {
        Ok(self.optional(name, "a boolean", Value::is_boolean)? == Some(&Value::Bool(true)))
    }

    fn optional(&self, name: &str, wanted: &str, fits: fn(&Value) -> bool) -> Result<Option<&'v Value>, A2aError> {
        match self.any(name) {
            Some(other) if !fits(other) => Err(self.wrong(name, wanted, other)),
            found => Ok(found),
        }
    }

    fn missing(&self, name: &str) -> A2aError {
        A2aError(format!("{} has no `{name}`", self.what))
    }

    fn wrong(&self, name: &str, wanted: &str, seen: &Value) -> A2aError {
        A2aError(format!("`{name}` of {} must be {wanted}, found {}", self.what, shown(seen)))
    }
}

/// An excerpt of a value.
pub fn shown(value: &Value) -> String {
    cut(&value.to_string(), 80)
}

/// An excerpt of a text.
pub fn cut(text: &str, limit: usize) -> String {
    agentci_text::excerpt(text, limit).into_owned()
}
