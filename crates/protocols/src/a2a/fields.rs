//! The fields of what an agent sends, read strictly.

use serde_json::{Map, Value};

/// What makes an answer impossible to understand.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Broken(pub String);

/// The fields of an object. What may be left out may also be null.
#[derive(Debug)]
pub(super) struct Fields<'v> {
    /// What the object is, for messages: `a task`.
    what: &'static str,
    map: &'v Map<String, Value>,
}

impl<'v> Fields<'v> {
    pub(super) fn open(value: &'v Value, what: &'static str) -> Result<Self, Broken> {
        match value.as_object() {
            Some(map) => Ok(Self { what, map }),
            None => Err(Broken(format!("{what} must be an object, and is {}", shown(value)))),
        }
    }

    /// Any value but null.
    pub(super) fn any(&self, name: &str) -> Option<&'v Value> {
        self.map.get(name).filter(|value| !value.is_null())
    }

    /// Any value but null that must be there.
    pub(super) fn required(&self, name: &str) -> Result<&'v Value, Broken> {
        self.any(name).ok_or_else(|| self.missing(name))
    }

    /// A text that may be left out; an empty one counts as left out, as protocol buffers have it.
    pub(super) fn text(&self, name: &str) -> Result<Option<String>, Broken> {
        match self.any(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.clone()).filter(|text| !text.is_empty())),
            Some(other) => Err(self.wrong(name, "a text", other)),
        }
    }

    /// A text that must be there.
    pub(super) fn required_text(&self, name: &str) -> Result<String, Broken> {
        self.text(name)?.ok_or_else(|| self.missing(name))
    }

    /// A list that may be left out.
    pub(super) fn list(&self, name: &str) -> Result<&'v [Value], Broken> {
        match self.any(name) {
            None => Ok(&[]),
            Some(Value::Array(items)) => Ok(items),
            Some(other) => Err(self.wrong(name, "a list", other)),
        }
    }

    /// Whether a switch is on; one that is left out is off.
    pub(super) fn switch(&self, name: &str) -> Result<bool, Broken> {
        match self.any(name) {
            None => Ok(false),
            Some(Value::Bool(on)) => Ok(*on),
            Some(other) => Err(self.wrong(name, "true or false", other)),
        }
    }

    fn missing(&self, name: &str) -> Broken {
        Broken(format!("{} has no `{name}`", self.what))
    }

    fn wrong(&self, name: &str, wanted: &str, seen: &Value) -> Broken {
        Broken(format!("`{name}` of {} must be {wanted}, and is {}", self.what, shown(seen)))
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
