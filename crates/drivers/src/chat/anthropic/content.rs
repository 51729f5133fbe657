//! Converts message content to Anthropic's content blocks.

use serde_json::{Map, Value, json};

use super::super::message::text_of;

/// The blocks of a message's content: one for a string, one per part for a list.
pub(super) fn blocks(content: &Value) -> Vec<Value> {
    match content {
        Value::String(text) if text.is_empty() => Vec::new(),
        Value::String(text) => vec![json!({ "type": "text", "text": text })],
        Value::Array(parts) => parts.iter().map(block).collect(),
        _ => Vec::new(),
    }
}

/// Converts a part to a block. Anything that is not one of OpenAI's parts is passed on as a block.
fn block(part: &Value) -> Value {
    let url = part.get("image_url").and_then(|image| image.get("url").unwrap_or(image).as_str());
    match (part.get("type").and_then(Value::as_str), url) {
        (Some("image_url"), Some(url)) => json!({ "type": "image", "source": source(url) }),
        (Some("refusal"), _) => json!({ "type": "text", "text": part.get("refusal") }),
        _ => part.clone(),
    }
}

/// The source of an image: a URL, or the data in a `data:` URL.
fn source(url: &str) -> Value {
    let inline = url.strip_prefix("data:").and_then(|data| data.split_once(";base64,"));
    match inline {
        Some((kind, data)) => json!({ "type": "base64", "media_type": kind, "data": data }),
        None => json!({ "type": "url", "url": url }),
    }
}

/// The tool calls of a message.
pub(super) fn tool_uses(message: &Value) -> Vec<Value> {
    let calls = message.get("tool_calls").and_then(Value::as_array);
    let calls = calls.into_iter().flatten().map(|call| {
        let function = call.get("function").unwrap_or(&Value::Null);
        let arguments = function.get("arguments").and_then(Value::as_str).unwrap_or_default();
        let input: Option<Value> = serde_json::from_str(arguments).ok().filter(Value::is_object);
        // The API accepts only objects here.
        let input = input.unwrap_or_else(|| Value::Object(Map::new()));
        json!({ "type": "tool_use", "id": call.get("id"), "name": function.get("name"), "input": input })
    });
    calls.collect()
}

pub(super) fn tool_result(message: &Value) -> Value {
    let id = message.get("tool_call_id").or_else(|| message.get("name"));
    let content = message.get("content").unwrap_or(&Value::Null);
    json!({ "type": "tool_result", "tool_use_id": id, "content": text_of(content, "\n") })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_become_content_blocks() {
        let parts = json!([
            {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
            {"type": "image_url", "image_url": {"url": "https://example.com/a.png"}},
            {"type": "document", "source": 1},
        ]);
        let made = blocks(&parts);
        assert_eq!(made[0]["source"], json!({"type": "base64", "media_type": "image/png", "data": "AAAA"}));
        assert_eq!(made[1]["source"], json!({"type": "url", "url": "https://example.com/a.png"}));
        assert_eq!(made[2], parts[2]);
        assert_eq!(blocks(&json!("")), Vec::<Value>::new());
    }
}
