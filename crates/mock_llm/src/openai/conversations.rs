//! `POST /v1/conversations`.

use serde_json::{Value, json};

use super::responses::read_items;
use crate::fields::{RequestFields, wrong};
use crate::{parsed_request::ParsedRequest, refusal::ModelRefusal};

/// Reads the initial items of a conversation.
pub(in super::super) fn read(body: &Value) -> Result<ParsedRequest, ModelRefusal> {
    let mut parsed = ParsedRequest::default();
    match RequestFields::open(body)?.get("items") {
        None => {}
        Some(Value::Array(items)) => read_items(items, &mut parsed)?,
        Some(other) => return Err(wrong("items", "a list of items", other)),
    }
    Ok(parsed)
}

/// The answer with the new conversation.
pub(in super::super) fn begun(id: &str, created: u64) -> Value {
    json!({ "id": id, "object": "conversation", "created_at": created, "metadata": {} })
}
