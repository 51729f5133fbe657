//! Builds messages in the protocol's format.

use serde_json::{Map, Value, json};

/// An object with these fields.
pub(super) fn object<const N: usize>(fields: [(&str, Value); N]) -> Value {
    Value::Object(fields.map(|(name, value)| (name.to_owned(), value)).into_iter().collect())
}

/// The string in a field of a message; empty if there is none.
pub(super) fn text<'m>(message: &'m Value, field: &str) -> &'m str {
    message.get(field).and_then(Value::as_str).unwrap_or_default()
}

/// A message without text.
pub(super) fn empty(id: &str, role: &str, name: Option<String>, lane: Option<String>) -> Value {
    let mut message = json!({ "id": id, "role": role, "content": "" });
    set(&mut message, "name", name.map(Value::String));
    set(&mut message, "subagentRunId", lane.map(Value::String));
    message
}

/// An assistant message that contains only calls.
pub(super) fn caller(id: &str, lane: Option<String>) -> Value {
    let mut message = json!({ "id": id, "role": "assistant", "toolCalls": [] });
    set(&mut message, "subagentRunId", lane.map(Value::String));
    message
}

/// A call within an assistant message, without arguments.
pub(super) fn call(id: &str, name: &str) -> Value {
    json!({ "id": id, "type": "function", "function": { "name": name, "arguments": "" } })
}

/// A result of a call. The content is a string or a list of parts.
pub(super) fn answer(id: &str, call_id: &str, content: Value, error: Option<&str>) -> Value {
    let mut message =
        object([("id", id.into()), ("role", "tool".into()), ("toolCallId", call_id.into()), ("content", content)]);
    set(&mut message, "error", error.map(Value::from));
    message
}

pub(super) fn activity(id: &str, kind: &str, content: Value, lane: Option<String>) -> Value {
    let mut message =
        object([("id", id.into()), ("role", "activity".into()), ("activityType", kind.into()), ("content", content)]);
    set(&mut message, "subagentRunId", lane.map(Value::String));
    message
}

/// Sets a field if there is a value.
pub(super) fn set(message: &mut Value, field: &str, value: Option<Value>) {
    if let (Some(map), Some(value)) = (message.as_object_mut(), value) {
        map.insert(field.to_owned(), value);
    }
}

/// Adds the metadata of an event; later values replace earlier ones.
pub(super) fn add_metadata(known: &mut Option<Map<String, Value>>, metadata: Option<Value>) {
    if let Some(Value::Object(metadata)) = metadata {
        known.get_or_insert_default().extend(metadata);
    }
}

/// Adds metadata to a message or call.
pub(super) fn describe(message: &mut Value, metadata: Option<Value>) {
    let Some(Value::Object(metadata)) = metadata else { return };
    match message.get_mut("metadata") {
        Some(Value::Object(known)) => known.extend(metadata),
        _ => set(message, "metadata", Some(Value::Object(metadata))),
    }
}

/// Removes nulls from an untrusted message, so that it can be sent back: optional fields must not be null.
pub(super) fn without_nulls(mut message: Map<String, Value>) -> Value {
    message.retain(|_, value| !value.is_null());
    if let Some(Value::Array(calls)) = message.get_mut("toolCalls") {
        for call in calls.iter_mut().filter_map(Value::as_object_mut) {
            call.retain(|_, value| !value.is_null());
        }
    }
    Value::Object(message)
}
