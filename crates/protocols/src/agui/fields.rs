//! One event as it came, and its fields, read strictly.

use serde_json::{Map, Value};

use super::content::plain;
use crate::{NotAnObjectError, ObjectFields};

/// What makes an answer impossible to read on.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct AguiError {
    /// What is wrong, with the event's number and what was seen.
    pub message: String,
    /// What to do about it.
    pub help: &'static str,
}

/// How much of an offending event is shown.
const QUOTED: usize = 200;
const NOT_AGUI: &str = "each event is a JSON object with a `type`: check that the endpoint speaks AG-UI, and that nothing \
                        else is written into its stream";
const WRONG_FIELD: &str = "the event is not what AG-UI 1.0 describes: check the version of the server's SDK";

/// What comes of reading an event.
pub(super) type AguiResult<T = ()> = Result<T, AguiError>;

/// The fields of an event, taken out one by one. A field that may be left out may also be null, as older servers write it.
#[derive(Debug)]
pub(super) struct AguiFields<'e> {
    /// The type of the event.
    pub(super) kind: String,
    pub(super) number: usize,
    /// How many bytes the event has.
    pub(super) length: usize,
    /// The subagent it belongs to; nothing for the agent itself.
    pub(super) lane: Option<String>,
    pub(super) fields: ObjectFields<'e>,
}

impl AguiFields<'_> {
    /// A text that must be there.
    pub(super) fn text(&mut self, name: &str) -> AguiResult<String> {
        self.optional_text(name)?.ok_or_else(|| self.missing(name))
    }

    /// A text that may be left out.
    pub(super) fn optional_text(&mut self, name: &str) -> AguiResult<Option<String>> {
        Ok(self.optional(name, "a text", Value::is_string)?.map(plain))
    }

    /// An object that must be there.
    pub(super) fn object(&mut self, name: &str) -> AguiResult<Map<String, Value>> {
        match self.optional(name, "an object", Value::is_object)? {
            Some(Value::Object(map)) => Ok(map),
            _ => Err(self.missing(name)),
        }
    }

    /// A list that must be there.
    pub(super) fn list(&mut self, name: &str) -> AguiResult<Vec<Value>> {
        match self.optional(name, "a list", Value::is_array)? {
            Some(Value::Array(items)) => Ok(items),
            _ => Err(self.missing(name)),
        }
    }

    /// A value that may be left out; `wanted` names its type in a message.
    pub(super) fn optional(&mut self, name: &str, wanted: &str, fits: fn(&Value) -> bool) -> AguiResult<Option<Value>> {
        match self.take(name) {
            Some(other) if !fits(&other) => Err(self.wrong(name, wanted, &other)),
            found => Ok(found),
        }
    }

    /// Any value that must be there, null included.
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
        self.broken(&format!("the field `{name}` must be {wanted}, and is {seen}"))
    }

    fn broken(&self, words: &str) -> AguiError {
        AguiError { message: format!("event {}, `{}`: {words}", self.number, self.kind), help: WRONG_FIELD }
    }
}

/// Reads one event; `number` is its place in the stream, from 1.
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
        Some(_) => return Err(bad("has a `type` that is not a text".into())),
        None => return Err(bad("has no `type`".into())),
    };
    Ok(AguiFields { kind, number, length: data.len(), lane: None, fields })
}

/// The JSON reader's words without the position, which is always on line 1 here.
fn words_of(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.split_once(" at line").map_or(text.clone(), |(words, _)| words.to_owned())
}

/// The beginning of a text.
pub(super) fn quote(text: &str, limit: usize) -> String {
    agentci_text::excerpt(text, limit).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_can_not_be_read_is_named_and_shown() {
        for (data, why) in [
            ("<html>", "event 7 is not JSON: expected value\nthe event: <html>"),
            ("[1]", "event 7 is JSON, but not an object"),
            ("{}", "event 7 has no `type`"),
            (r#"{"type":5}"#, "event 7 has a `type` that is not a text"),
        ] {
            let seen = read(data, 7).unwrap_err().message;
            assert!(seen.starts_with(why), "{data}: {seen}");
        }
        let long = format!("[{}", "é".repeat(1000));
        assert!(read(&long, 1).unwrap_err().message.len() < 600);
    }
}
