//! The messages of a conversation, in the format of Chat Completions.

use serde_json::{Map, Value};

use crate::template_parts::as_text;

/// The text of a message's content: a string, or the texts of a list of parts, joined with `between`.
pub(super) fn text_of(content: &Value, between: &str) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            let texts = parts.iter().filter_map(|part| part.get("text").and_then(Value::as_str));
            texts.collect::<Vec<_>>().join(between)
        }
        _ => String::new(),
    }
}

/// Normalizes a message: a string is a user message, calls are of type `function`, and their arguments are strings.
pub(super) fn normal(message: &Value) -> Result<Value, String> {
    let mut message = match message {
        Value::String(text) => Map::from_iter([("content".to_owned(), Value::String(text.clone()))]),
        Value::Object(map) => map.clone(),
        other => return Err(format!("a message must be a string or an object, found {other}")),
    };
    if message.get("role").is_none_or(Value::is_null) {
        message.insert("role".into(), "user".into());
    }
    if let Some(Value::Array(calls)) = message.get_mut("tool_calls") {
        for call in calls.iter_mut().filter_map(Value::as_object_mut) {
            call.entry("type").or_insert_with(|| "function".into());
            let arguments = call.get_mut("function").and_then(|function| function.get_mut("arguments"));
            if let Some(arguments) = arguments.filter(|arguments| !arguments.is_string()) {
                *arguments = Value::String(arguments.to_string());
            }
        }
    }
    Ok(Value::Object(message))
}

/// Normalizes a message or a list of messages.
pub(super) fn all_normal(messages: &Value) -> Result<Vec<Value>, String> {
    match messages {
        Value::Array(messages) => messages.iter().map(normal).collect(),
        one => Ok(vec![normal(one)?]),
    }
}

/// A tool result as a message.
pub(super) fn tool_result(call_id: &str, content: &Value) -> Value {
    serde_json::json!({ "role": "tool", "tool_call_id": call_id, "content": as_text(content) })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn missing_message_fields_are_filled_in() {
        assert_eq!(normal(&json!("hi")).unwrap(), json!({"content": "hi", "role": "user"}));
        let called = normal(&json!({
            "role": "assistant", "content": null,
            "tool_calls": [{"id": "c1", "function": {"name": "find", "arguments": {"q": 1}}}],
        }));
        let call = &called.unwrap()["tool_calls"][0];
        assert_eq!((&call["type"], &call["function"]["arguments"]), (&json!("function"), &json!(r#"{"q":1}"#)));
        assert!(normal(&json!(7)).unwrap_err().contains("found 7"));
    }

    #[test]
    fn text_parts_are_joined_as_lines() {
        assert_eq!(
            text_of(&json!([{"type": "text", "text": "a"}, {"type": "image_url"}, {"text": "b"}]), "\n"),
            "a\nb"
        );
        assert_eq!(text_of(&json!(null), "\n"), "");
    }
}
