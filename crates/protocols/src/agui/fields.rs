//! Reads the fields of an event strictly.

use serde_json::{Map, Value};

use super::content::plain;
use crate::{NotAnObjectError, ObjectFields};

/// Why reading an answer cannot continue.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct AguiError {
    /// What is wrong, with the number of the event and an excerpt.
    pub message: String,
    /// What to do about it.
    pub help: &'static str,
}

/// The length of an excerpt of an invalid event.
const QUOTED: usize = 200;
const NOT_AGUI: &str = "each event must be a JSON object with a `type`: check that the endpoint supports AG-UI, and \
                        that nothing else is written to its stream";
const WRONG_FIELD: &str = "the event does not follow AG-UI 1.0: check the version of the server's SDK";

pub(super) type AguiResult<T = ()> = Result<T, AguiError>;

/// The fields of an event, taken out one by one. Optional fields may also be null, as older servers send them.
#[derive(Debug)]
pub(super) struct AguiFields<'e> {
    /// The type of the event.
    pub(super) kind: String,
    pub(super) number: usize,
    /// The size of the event, in bytes.
    pub(super) length: usize,
    /// The subagent of the event; `None` for the agent itself.
    pub(super) lane: Option<String>,
    pub(super) fields: ObjectFields<'e>,
}

impl AguiFields<'_> {
    /// A required string.
    pub(super) fn text(&mut self, name: &str) -> AguiResult<String> {
        self.optional_text(name)?.ok_or_else(|| self.missing(name))
    }

    pub(super) fn optional_text(&mut self, name: &str) -> AguiResult<Option<String>> {
        Ok(self.optional(name, "a string", Value::is_string)?.map(plain))
    }

    /// A required object.
    pub(super) fn object(&mut self, name: &str) -> AguiResult<Map<String, Value>> {
        match self.optional(name, "an object", Value::is_object)? {
            Some(Value::Object(map)) => Ok(map),
            _ => Err(self.missing(name)),
        }
    }

    /// A required list.
    pub(super) fn list(&mut self, name: &str) -> AguiResult<Vec<Value>> {
        match self.optional(name, "a list", Value::is_array)? {
            Some(Value::Array(items)) => Ok(items),
            _ => Err(self.missing(name)),
        }
    }

    /// An optional value; `wanted` names its type in a message.
    pub(super) fn optional(&mut self, name: &str, wanted: &str, fits: fn(&Value) -> bool) -> AguiResult<Option<Value>> {
        match self.take(name) {
            Some(other) if !fits(&other) => Err(self.wrong(name, wanted, &other)),
            found => Ok(found),
        }
    }

    /// Any required value, including null.
    pub(super) fn any(&mut self, name: &str) -> AguiResult<Value> {
        self.fields.take(name).ok_or_else(|| self.missing(name))
    }

    /// Any value but null.
    pub(super) fn take(&mut self, name: &str) -> Option<Value> {
        self.fields.take(name).filter(|value| !value.is_null())
    }

    pub(super) fn missing(&self, name: &str) -> AguiError {
        self.broken(&format!("the field `{name}` is missing"))
    }

    pub(super) fn wrong(&self, name: &str, wanted: &str, seen: &Value) -> AguiError {
        let seen = quote(&seen.to_string(), 80);
        self.broken(&format!("the field `{name}` must be {wanted}, found {seen}"))
    }

    fn broken(&self, words: &str) -> AguiError {
        AguiError { message: format!("event {}, `{}`: {words}", self.number, self.kind), help: WRONG_FIELD }
    }
}

/// Reads one event; `number` is its position in the stream, from 1.
pub(super) fn read(data: &str, number: usize) -> AguiResult<AguiFields<'_>> {
    let bad = |reason: String| AguiError {
        message: format!("event {number} {reason}\nthe event: {}", quote(data, QUOTED)),
        help: NOT_AGUI,
    };
    let mut fields = ObjectFields::read(data).map_err(|error| match error {
        NotAnObjectError::Json(error) => bad(format!("is not JSON: {}", words_of(&error))),
        NotAnObjectError::Other => bad("is JSON, but not an object".into()),
    })?;
    let kind = match fields.take("type") {
        Some(Value::String(kind)) => kind,
        Some(_) => return Err(bad("has a `type` that is not a string".into())),
        None => return Err(bad("has no `type`".into())),
    };
    Ok(AguiFields { kind, number, length: data.len(), lane: None, fields })
}

/// The message of a JSON error without the position, which is always on line 1 here.
fn words_of(error: &serde_json::Error) -> String {
    let text = agentci_text::json_error(error);
    text.split_once(" at line").map_or(text.clone(), |(words, _)| words.to_owned())
}

/// An excerpt of a text.
pub(super) fn quote(text: &str, limit: usize) -> String {
    agentci_text::excerpt(text, limit).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invalid_event_is_reported_with_number_and_excerpt() {
        for (data, why) in [
            ("<html>", "event 7 is not JSON: expected value\nthe event: <html>"),
            ("[1]", "event 7 is JSON, but not an object"),
            ("{}", "event 7 has no `type`"),
            (r#"{"type":5}"#, "event 7 has a `type` that is not a string"),
        ] {
            let seen = read(data, 7).unwrap_err().message;
            assert!(seen.starts_with(why), "{data}: {seen}");
        }
        let long = format!("[{}", "é".repeat(1000));
        assert!(read(&long, 1).unwrap_err().message.len() < 600);
    }
}
