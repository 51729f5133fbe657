//! The shapes of messages.

use serde_json::{Map, Value, json};

/// An object of these fields.
pub(super) fn object<const N: usize>(fields: [(&str, Value); N]) -> Value {
    Value::Object(fields.map(|(name, value)| (name.to_owned(), value)).into_iter().collect())
}

/// The text in a field of a message, empty if there is none.
pub(super) fn text<'m>(message: &'m Value, field: &str) -> &'m str {
    message.get(field).and_then(Value::as_str).unwrap_or_default()
}

/// A message of someone, still without words.
pub(super) fn empty(id: &str, role: &str, name: Option<String>, lane: Option<String>) -> Value {
    let mut message = json!({ "id": id, "role": role, "content": "" });
    set(&mut message, "name", name.map(Value::String));
    set(&mut message, "subagentRunId", lane.map(Value::String));
    message
}

/// A message of the assistant that holds nothing but calls.
pub(super) fn caller(id: &str, lane: Option<String>) -> Value {
    let mut message = json!({ "id": id, "role": "assistant", "toolCalls": [] });
    set(&mut message, "subagentRunId", lane.map(Value::String));
    message
}

/// A call within a message of the assistant, still without arguments.
pub(super) fn call(id: &str, name: &str) -> Value {
    json!({ "id": id, "type": "function", "function": { "name": name, "arguments": "" } })
}

/// An answer to a call. The content is a text or a list of parts.
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

/// Sets a field if there is something to set.
pub(super) fn set(message: &mut Value, field: &str, value: Option<Value>) {
    if let (Some(map), Some(value)) = (message.as_object_mut(), value) {
        map.insert(field.to_owned(), value);
    }
}

/// Adds what an event says about the message or call it builds; a later word replaces an earlier one.
pub(super) fn add_metadata(known: &mut Option<Map<String, Value>>, metadata: Option<Value>) {
    if let Some(Value::Object(metadata)) = metadata {
        known.get_or_insert_default().extend(metadata);
    }
}

/// The same in the message or call itself.
pub(super) fn describe(message: &mut Value, metadata: Option<Value>) {
    let Some(Value::Object(metadata)) = metadata else { return };
    match message.get_mut("metadata") {
        Some(Value::Object(known)) => known.extend(metadata),
        _ => set(message, "metadata", Some(Value::Object(metadata))),
    }
}

/// A message from outside as it may be sent again: without nulls, which optional fields must not hold.
pub(super) fn without_nulls(mut message: Map<String, Value>) -> Value {
    message.retain(|_, value| !value.is_null());
    if let Some(Value::Array(calls)) = message.get_mut("toolCalls") {
        for call in calls.iter_mut().filter_map(Value::as_object_mut) {
            call.retain(|_, value| !value.is_null());
        }
    }
    Value::Object(message)
}
