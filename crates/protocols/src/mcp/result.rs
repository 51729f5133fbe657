//! The results of operations.

use std::borrow::Cow;
use std::time::Instant;

use serde_json::{Map, Value};

use super::elicitation::AnsweredQuestion;

/// A notification of the server.
#[derive(Debug, Clone, PartialEq)]
pub struct Notification {
    /// The method, such as `notifications/progress`.
    pub method: String,
    /// The parameters.
    pub params: Value,
    /// When it arrived.
    pub at: Instant,
}

/// Notifications and requests of the server during a call.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ServerMessages {
    /// Notifications in the order of arrival. Progress belongs to its call; over stdio, any other notification belongs
    /// to the call in progress if there is only one, and to the connection otherwise.
    pub notifications: Vec<Notification>,
    /// The questions to the user and the answers.
    pub asked: Vec<AnsweredQuestion>,
    /// The methods of the server's requests that were refused, such as `sampling/createMessage`.
    pub refused: Vec<String>,
}

/// The result of a tool call.
#[derive(Debug, Clone, PartialEq)]
pub struct CallResult {
    /// The parts of the result.
    pub content: Vec<Value>,
    /// The structured result, if there is one.
    pub structured: Option<Value>,
    /// Whether the tool reported an error.
    pub is_error: bool,
    /// The other fields of the result.
    pub rest: Map<String, Value>,
    /// Notifications and requests during the call.
    pub received: ServerMessages,
}

impl CallResult {
    pub fn read(result: Value, received: ServerMessages) -> Result<Self, MalformedResultError> {
        const METHOD: &str = "tools/call";
        let mut rest = object(METHOD, result)?;
        let content = list(METHOD, &mut rest, "content")?;
        let structured = rest.shift_remove("structuredContent").filter(|value| !value.is_null());
        let is_error = match rest.shift_remove("isError") {
            None | Some(Value::Null) => false,
            Some(Value::Bool(flag)) => flag,
            Some(_) => return Err(MalformedResultError::new(METHOD, "`isError` is not a boolean")),
        };
        Ok(Self { content, structured, is_error, rest, received })
    }

    /// The result in the protocol's format.
    pub fn into_value(self) -> Value {
        let Self { content, structured, is_error, rest: mut result, .. } = self;
        result.insert("content".into(), content.into());
        result.extend(structured.map(|structured| ("structuredContent".to_owned(), structured)));
        result.insert("isError".into(), is_error.into());
        result.into()
    }

    /// The text parts, joined by line feeds.
    pub fn text(&self) -> String {
        let parts = self.content.iter().filter(|part| part["type"] == "text");
        parts.filter_map(|part| part["text"].as_str()).collect::<Vec<_>>().join("\n")
    }

    /// The value for checks: the structured result if there is one, because its copy in the text parts may be formatted
    /// differently; otherwise the text, parsed if it is a JSON object or list; or the parts themselves if none is text.
    pub fn value(&self) -> Cow<'_, Value> {
        if let Some(structured) = &self.structured {
            return Cow::Borrowed(structured);
        }
        if !self.content.is_empty() && self.content.iter().all(|part| part["type"] != "text") {
            return Cow::Owned(Value::Array(self.content.clone()));
        }
        let text = self.text();
        let json = text.trim_start().starts_with(['{', '[']).then(|| serde_json::from_str(&text).ok()).flatten();
        Cow::Owned(json.unwrap_or(Value::String(text)))
    }
}

/// The result of a resource or a prompt in the protocol's format, with its parts in one list.
#[derive(Debug, Clone, PartialEq)]
pub struct PartsResult {
    /// The result; the list comes last.
    pub result: Value,
    /// Notifications and requests during the call.
    pub received: ServerMessages,
}

impl PartsResult {
    /// Reads a result whose list has this name.
    pub fn read(
        method: &str,
        name: &str,
        result: Value,
        received: ServerMessages,
    ) -> Result<Self, MalformedResultError> {
        let mut result = object(method, result)?;
        let parts = list(method, &mut result, name)?;
        result.insert(name.to_owned(), parts.into());
        Ok(Self { result: result.into(), received })
    }

    /// Its texts, one per line.
    pub fn text(&self) -> String {
        text_of_parts(&self.result)
    }
}

/// The texts of a resource or a prompt, one per line.
pub fn text_of_parts(result: &Value) -> String {
    let parts = ["contents", "messages"].into_iter().find_map(|name| result[name].as_array());
    let texts =
        parts.into_iter().flatten().filter_map(|part| part.get("text").unwrap_or(&part["content"]["text"]).as_str());
    texts.collect::<Vec<_>>().join("\n")
}

/// A result that violates the protocol.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the answer to `{method}` is malformed: {reason}")]
pub struct MalformedResultError {
    /// The method of the request.
    pub method: String,
    /// What is wrong.
    pub reason: String,
}

impl MalformedResultError {
    /// Creates the error for a result of `method`.
    pub fn new(method: &str, reason: &str) -> Self {
        Self { method: method.to_owned(), reason: reason.to_owned() }
    }
}

/// Checks that a result is an object.
pub fn object(method: &str, result: Value) -> Result<Map<String, Value>, MalformedResultError> {
    match result {
        Value::Object(map) => Ok(map),
        _ => Err(MalformedResultError::new(method, "the result is not an object")),
    }
}

/// Takes a list out of a result; a missing list is empty.
pub fn list(method: &str, result: &mut Map<String, Value>, name: &str) -> Result<Vec<Value>, MalformedResultError> {
    match result.shift_remove(name) {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(Value::Array(items)) => Ok(items),
        Some(_) => Err(MalformedResultError::new(method, &format!("`{name}` is not a list"))),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(result: Value) -> Result<CallResult, MalformedResultError> {
        CallResult::read(result, ServerMessages::default())
    }

    #[test]
    fn structured_content_takes_precedence_over_text() {
        let both = read(json!({
            "content": [{ "type": "text", "text": "{\n \"a\": 1.0\n}" }, { "type": "image", "data": "", "text": "no" }, { "type": "text", "text": "b" }],
            "structuredContent": { "a": 1 },
            "isError": true,
            "_meta": { "x": 1 },
        }))
        .unwrap();
        assert_eq!(*both.value(), json!({ "a": 1 }));
        assert_eq!(both.text(), "{\n \"a\": 1.0\n}\nb");
        assert!(both.is_error);
        assert_eq!(Value::Object(both.rest), json!({ "_meta": { "x": 1 } }));
    }

    #[test]
    fn falls_back_to_text_and_then_to_parts() {
        for (content, value) in [
            (json!([{ "type": "text", "text": "b" }]), json!("b")),
            (json!([{ "type": "text", "text": "{\n \"a\": 1\n}" }]), json!({ "a": 1 })),
            (json!([{ "type": "text", "text": "[1," }]), json!("[1,")),
            (json!([{ "type": "text", "text": "42" }]), json!("42")),
            (json!([{ "type": "image", "data": "" }, { "type": "text", "text": "b" }]), json!("b")),
            (json!([{ "type": "image", "data": "" }]), json!([{ "type": "image", "data": "" }])),
            (json!([]), json!("")),
        ] {
            assert_eq!(*read(json!({ "content": content })).unwrap().value(), value, "{content}");
        }
    }

    #[test]
    fn result_with_wrong_types_is_malformed() {
        for wrong in [json!([]), json!({ "content": "text" }), json!({ "content": [], "isError": "yes" })] {
            assert!(matches!(read(wrong.clone()), Err(MalformedResultError { .. })), "{wrong}");
        }
        assert!(!read(json!({})).unwrap().is_error);
    }
}
