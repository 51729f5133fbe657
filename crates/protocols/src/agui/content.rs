//! The content of tool calls and results.

use agentci_trace::ToolResult;
use serde_json::{Map, Value};

use super::fields::{AguiFields, AguiResult};

/// Parses the arguments of a call; returns whether they are a JSON object, as required. Invalid arguments are kept as
/// text.
pub(super) fn arguments(text: &str) -> (Value, bool) {
    if text.trim().is_empty() {
        return (Value::Object(Map::new()), true);
    }
    match serde_json::from_str(text) {
        Ok(object @ Value::Object(_)) => (object, true),
        _ => (Value::String(text.to_owned()), false),
    }
}

/// Reads the result of a call from its event: as the trace shows it, and as the history keeps it (a string or a list of
/// parts). If `content` is missing, `result` is read, which some servers send.
pub(super) fn answered(call_id: &str, fields: &mut AguiFields<'_>) -> AguiResult<(ToolResult, Value)> {
    let content = match fields.take("content") {
        Some(content @ (Value::String(_) | Value::Array(_))) => content,
        Some(other) => return Err(fields.wrong("content", "a string or a list of parts", &other)),
        None => Value::String(fields.take("result").map(plain).ok_or_else(|| fields.missing("content"))?),
    };
    let error = fields.take("error").map(plain);
    Ok((result(call_id, &content, error), content))
}

/// A result as the trace shows it.
pub(super) fn result(call_id: &str, content: &Value, error: Option<String>) -> ToolResult {
    let result = match content {
        // If no part has text, the list itself is the result.
        Value::Array(parts) => texts(parts).map_or_else(|| content.clone(), |texts| of_text(&texts)),
        Value::String(text) => of_text(text),
        other => other.clone(),
    };
    let (call_id, ok) = (call_id.to_owned(), error.is_none());
    ToolResult { call_id, ok, result: result.into(), error, ..ToolResult::default() }
}

/// A string as it is, anything else as JSON.
pub(super) fn plain(value: Value) -> String {
    match value {
        Value::String(text) => text,
        other => other.to_string(),
    }
}

/// The joined texts of a list of parts, if there are any.
pub(super) fn texts(parts: &[Value]) -> Option<String> {
    let texts: Vec<&str> = parts.iter().filter_map(|part| part.get("text")?.as_str()).collect();
    (!texts.is_empty()).then(|| texts.concat())
}

/// Parses text as JSON, unless it is a JSON string.
fn of_text(text: &str) -> Value {
    match serde_json::from_str(text) {
        Ok(Value::String(_)) | Err(_) => Value::String(text.to_owned()),
        Ok(value) => value,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::fields::read;
    use super::*;

    fn answer(fields: &str) -> AguiResult<(ToolResult, Value)> {
        let data = format!(r#"{{"type":"TOOL_CALL_RESULT",{fields}}}"#);
        let mut fields = read(&data, 1).unwrap();
        answered("c", &mut fields)
    }

    #[test]
    fn arguments_are_an_object_or_raw_text() {
        assert_eq!(arguments(""), (json!({}), true));
        assert_eq!(arguments(r#"{"n":1.0}"#).0.to_string(), r#"{"n":1.0}"#);
        for text in ["{", "[1]", "null", "\"x\"", "{}{}"] {
            assert_eq!(arguments(text), (json!(text), false));
        }
    }

    #[test]
    fn result_is_parsed_as_json_when_possible() {
        for (fields, result) in [
            (r#""content":"plain""#, json!("plain")),
            (r#""content":"{\"a\":[1]}""#, json!({"a": [1]})),
            (r#""content":"42""#, json!(42)),
            (r#""content":"null""#, json!(null)),
            (r#""content":"\"quoted\"""#, json!("\"quoted\"")),
            (r#""content":"","result":"ignored""#, json!("")),
            (r#""result":{"a":1}"#, json!({"a": 1})),
            (r#""content":null,"result":"7""#, json!(7)),
            (r#""content":[{"type":"text","text":"[1,"},{"type":"image"},{"type":"text","text":"2]"}]"#, json!([1, 2])),
            (r#""content":[{"type":"image"}]"#, json!([{"type": "image"}])),
        ] {
            let answered = answer(fields).unwrap();
            assert_eq!((&*answered.0.result, answered.0.ok), (&result, true), "{fields}");
        }
        let failed = answer(r#""content":"","error":"no such order""#).unwrap().0;
        assert_eq!((failed.ok, failed.error.as_deref()), (false, Some("no such order")));
    }

    #[test]
    fn result_content_must_be_string_or_parts() {
        let message = |fields| answer(fields).err().unwrap().message;
        assert!(
            message(r#""content":5"#).ends_with("the field `content` must be a string or a list of parts, found 5")
        );
        assert!(message(r#""role":"tool""#).ends_with("the field `content` is missing"));
    }
}
