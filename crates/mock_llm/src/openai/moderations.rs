//! `POST /v1/moderations`: flags nothing.

use serde_json::{Map, Value, json};

use crate::fields::{RequestFields, missing, wrong};
use crate::refusal::ModelRefusal;

const CATEGORIES: [&str; 13] = [
    "harassment",
    "harassment/threatening",
    "hate",
    "hate/threatening",
    "illicit",
    "illicit/violent",
    "self-harm",
    "self-harm/instructions",
    "self-harm/intent",
    "sexual",
    "sexual/minors",
    "violence",
    "violence/graphic",
];

/// The answer to a request: one result per string, or one for a list of parts.
pub(in super::super) fn answer(body: &Value, id: &str) -> Result<Value, ModelRefusal> {
    let fields = RequestFields::open(body)?;
    let model = fields.text("model")?.unwrap_or("omni-moderation-latest");
    let results = match fields.get("input").ok_or_else(|| missing("input"))? {
        Value::Array(items) if items.iter().all(|item| matches!(item, Value::String(_))) => items.len(),
        Value::String(_) | Value::Array(_) => 1,
        other => return Err(wrong("input", "a string or a list", other)),
    };
    let each = |value: Value| CATEGORIES.iter().map(|name| ((*name).to_owned(), value.clone())).collect::<Map<_, _>>();
    let result = json!({
        "flagged": false,
        "categories": each(json!(false)),
        "category_scores": each(json!(0.0)),
        "category_applied_input_types": each(json!(["text"])),
    });
    Ok(json!({ "id": id, "model": model, "results": vec![result; results] }))
}
