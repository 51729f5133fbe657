//! The parameters of a request besides its messages, tools and model: `temperature`, `tool_choice`, `response_format`,
//! `max_tokens`.

use serde_json::{Map, Value};

/// Keys that belong to the conversation or are recorded elsewhere.
const CONVERSATION: [&str; 16] = [
    "model",
    "messages",
    "input",
    "contents",
    "prompt",
    "system",
    "instructions",
    "systemInstruction",
    "system_instruction",
    "tools",
    "functions",
    "conversation",
    "thread",
    "documents",
    "anthropic_version",
    "anthropic_beta",
];

/// Keys about the caller or the delivery of the answer, which do not affect the question. A seed is often random.
const DELIVERY: [&str; 12] = [
    "stream",
    "stream_options",
    "user",
    "metadata",
    "seed",
    "store",
    "background",
    "service_tier",
    "prompt_cache_key",
    "prompt_cache_retention",
    "safety_identifier",
    "keep_alive",
];

/// The parameters of a request, sorted by key; `None` if the body is not an object.
pub fn request_parameters(body: &Value) -> Option<Value> {
    let mut kept = Map::new();
    for (key, value) in body.as_object()? {
        let is_id = key.ends_with("_id") || key.ends_with("Id") || key == "id";
        let known = CONVERSATION.contains(&key.as_str()) || DELIVERY.contains(&key.as_str());
        if is_id || known || value.is_null() {
            continue;
        }
        let mut value = value.clone();
        if key == "toolConfig"
            && let Some(config) = value.as_object_mut()
        {
            config.remove("tools");
            if config.is_empty() {
                continue;
            }
        }
        if let Some(options) = value.as_object_mut().filter(|_| key == "options" || key == "generationConfig") {
            options.remove("seed");
        }
        kept.insert(key.clone(), value);
    }
    kept.sort_keys();
    Some(Value::Object(kept))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn ignores_caller_and_delivery_fields() {
        let body = json!({ "model": "m", "messages": [], "tools": [], "stream": true, "user": "me", "metadata": {}, "seed": 7,
            "previous_response_id": "r", "top_p": null, "temperature": 0.5, "tool_choice": "auto", "max_tokens": 9,
            "response_format": { "type": "json_object" }, "generationConfig": { "seed": 7, "topK": 3 },
            "toolConfig": { "tools": [], "toolChoice": { "auto": {} } } });
        let kept = json!({ "temperature": 0.5, "tool_choice": "auto", "max_tokens": 9,
            "response_format": { "type": "json_object" }, "generationConfig": { "topK": 3 },
            "toolConfig": { "toolChoice": { "auto": {} } } });
        assert_eq!(request_parameters(&body), Some(kept));
        assert_eq!(
            (request_parameters(&json!("text")), request_parameters(&json!({ "toolConfig": { "tools": [] } }))),
            (None, Some(json!({})))
        );
    }
}
