//! The fields of an event, read strictly.

use serde_json::{Map, Value};

use super::content::plain;

/// What makes an answer impossible to read on.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct AguiError {
    /// What is wrong, with the event's number and what was seen.
    pub message: String,
    /// What to do about it.
    pub help: &'static str,
}

const WRONG_FIELD: &str = "the event is not what AG-UI 1.0 describes: check the version of the server's SDK";

/// The fields of an event, taken out one by one. A field that may be left out may also be null, as older servers write it.
#[derive(Debug)]
pub(super) struct AguiFields {
    /// The type of the event.
    pub(super) kind: String,
    pub(super) number: usize,
    /// How many bytes the event has.
    pub(super) length: usize,
    /// The subagent it belongs to; nothing for the agent itself.
    pub(super) lane: Option<String>,
    pub(super) map: Map<String, Value>,
}

impl AguiFields {
    /// A text that must be there.
    pub(super) fn text(&mut self, name: &str) -> Result<String, AguiError> {
        self.optional_text(name)?.ok_or_else(|| self.missing(name))
    }

    /// A text that may be left out.
    pub(super) fn optional_text(&mut self, name: &str) -> Result<Option<String>, AguiError> {
        Ok(self.optional(name, "a text", Value::is_string)?.map(plain))
    }

    /// An object that must be there.
    pub(super) fn object(&mut self, name: &str) -> Result<Map<String, Value>, AguiError> {
        match self.optional(name, "an object", Value::is_object)? {
            Some(Value::Object(map)) => Ok(map),
            _ => Err(self.missing(name)),
        }
    }

    /// A list that must be there.
    pub(super) fn list(&mut self, name: &str) -> Result<Vec<Value>, AguiError> {
        match self.optional(name, "a list", Value::is_array)? {
            Some(Value::Array(items)) => Ok(items),
            _ => Err(self.missing(name)),
        }
    }

    /// A value that may be left out; `wanted` names its type in a message.
    pub(super) fn optional(
        &mut self,
        name: &str,
        wanted: &str,
        fits: fn(&Value) -> bool,
    ) -> Result<Option<Value>, AguiError> {
        match self.take(name) {
            Some(other) if !fits(&other) => Err(self.wrong(name, wanted, &other)),
            found => Ok(found),
        }
    }

    /// Any value that must be there, null included.
    pub(super) fn any(&mut self, name: &str) -> Result<Value, AguiError> {
        self.map.remove(name).ok_or_else(|| self.missing(name))
    }

    /// Any value but null.
    pub(super) fn take(&mut self, name: &str) -> Option<Value> {
        self.map.remove(name).filter(|value| !value.is_null())
    }

    pub(super) fn missing(&self, name: &str) -> AguiError {
        self.broken(&format!("the field `{name}` is missing"))
    }

    pub(super) fn wrong(&self, name: &str, wanted: &str, seen: &Value) -> AguiError {
        let seen = quote(&seen.to_string(), 80);
        self.broken(&format!("the field `{name}` must be {wanted}, and is {seen}"))
    }

    fn broken(&self, words: &str) -> AguiError {
        AguiError { message: format!("event {}, `{}`: {words}", self.number, self.kind), help: WRONG_FIELD }
    }
}

/// The beginning of a text.
pub(super) fn quote(text: &str, limit: usize) -> String {
    agentci_text::excerpt(text, limit).into_owned()
}
