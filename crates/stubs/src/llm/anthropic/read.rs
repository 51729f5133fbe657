//! What a request asks.

use serde_json::Value;

use super::super::asked::{Asked, GivenResult, result_text, text};
use super::super::fields::{Fields, missing, wrong};
use super::super::refusal::Refusal;

/// What a request asks; a request that only counts tokens needs no `max_tokens`.
pub(in super::super) fn read(body: &Value, counts_only: bool) -> Result<Asked, Refusal> {
    let fields = Fields::open(body)?;
    let mut asked = Asked {
        model: fields.text("model")?.map(str::to_owned),
        stream: fields.truth("stream")?,
        choices: 1,
        ..Asked::default()
    };
    if fields.count("max_tokens", 1, u32::MAX)?.is_none() && !counts_only {
        return Err(missing("max_tokens"));
    }
    if let Some(tools) = fields.get("tools").filter(|tools| !tools.is_array()) {
        return Err(wrong("tools", "a list", tools));
    }
    for (at, message) in fields.list("messages")?.iter().enumerate() {
        let place = |name: &str| format!("messages.{at}.{name}");
        let content = message.get("content").unwrap_or(&Value::Null);
        if !matches!(content, Value::String(_) | Value::Array(_)) {
            return Err(wrong(&place("content"), "a string or a list of blocks", content));
        }
        match message.get("role").and_then(Value::as_str) {
            Some("user") => read_user(content, &mut asked),
            Some("assistant") => asked.answered(),
            _ => return Err(Refusal::of_part(&place("role"), "the role of a message is `user` or `assistant`")),
        }
    }
    Ok(asked)
}

/// A user's message is what the user said, or what tools gave, or both.
fn read_user(content: &Value, asked: &mut Asked) {
    let said = text(content);
    let blocks = content.as_array().map(Vec::as_slice).unwrap_or_default();
    let kind = |block: &Value, wanted: &str| block.get("type").and_then(Value::as_str) == Some(wanted);
    for block in blocks.iter().filter(|block| kind(block, "tool_result")) {
        asked.results.push(GivenResult {
            call_id: block.get("tool_use_id").and_then(Value::as_str).unwrap_or_default().to_owned(),
            content: result_text(block.get("content").unwrap_or(&Value::Null)),
            failed: block.get("is_error").and_then(Value::as_bool).unwrap_or_default(),
        });
    }
    if !said.is_empty() || !blocks.iter().any(|block| kind(block, "tool_result")) {
        asked.user = said;
    }
}
