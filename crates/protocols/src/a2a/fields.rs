//! The fields of what an agent sends, read strictly.

use serde_json::{Map, Value};

/// What makes an answer impossible to understand.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct A2aError(pub String);

/// The fields of an object. What may be left out may also be null.
#[derive(Debug)]
pub(super) struct A2aFields<'v> {
    /// What the object is, for messages: `a task`.
    what: &'static str,
    map: &'v Map<String, Value>,
}

impl<'v> A2aFields<'v> {
    pub(super) fn open(value: &'v Value, what: &'static str) -> Result<Self, A2aError> {
        match value.as_object() {
            Some(map) => Ok(Self { what, map }),
            None => Err(A2aError(format!("{what} must be an object, and is {}", shown(value)))),
        }
    }

    /// Any value but null.
    pub(super) fn any(&self, name: &str) -> Option<&'v Value> {
        self.map.get(name).filter(|value| !value.is_null())
    }

    /// Any value but null that must be there.
    pub(super) fn required(&self, name: &str) -> Result<&'v Value, A2aError> {
        self.any(name).ok_or_else(|| self.missing(name))
    }

    /// A text that may be left out; an empty one counts as left out, as protocol buffers have it.
    pub(super) fn text(&self, name: &str) -> Result<Option<String>, A2aError> {
        let text = self.optional(name, "a text", Value::is_string)?.and_then(Value::as_str);
        Ok(text.filter(|text| !text.is_empty()).map(str::to_owned))
    }

    /// A text that must be there.
    pub(super) fn required_text(&self, name: &str) -> Result<String, A2aError> {
        self.text(name)?.ok_or_else(|| self.missing(name))
    }

    /// A list that may be left out.
    pub(super) fn list(&self, name: &str) -> Result<&'v [Value], A2aError> {
        let list = self.optional(name, "a list", Value::is_array)?.and_then(Value::as_array);
        Ok(list.map(Vec::as_slice).unwrap_or_default())
    }

    /// Whether a switch is on; one that is left out is off.
    pub(super) fn switch(&self, name: &str) -> Result<bool, A2aError> {
        Ok(self.optional(name, "true or false", Value::is_boolean)? == Some(&Value::Bool(true)))
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
        A2aError(format!("`{name}` of {} must be {wanted}, and is {}", self.what, shown(seen)))
    }
}

/// The beginning of a value.
pub fn shown(value: &Value) -> String {
    cut(&value.to_string(), 80)
}

/// The beginning of a text.
pub fn cut(text: &str, limit: usize) -> String {
    agentci_text::excerpt(text, limit).into_owned()
}
