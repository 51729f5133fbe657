//! What a request asks.

use super::super::asked::{Asked, GivenResult, result_text, text};
use super::super::fields::{Fields, items, missing, wrong};
use super::super::refusal::Refusal;
use serde_json::Value;

/// What a request asks; a request that only counts tokens needs no `max_tokens`.
pub(in super::super) fn read(body: &Value, counts_only: bool) -> Result<Asked, Refusal> {
    let fields = Fields::open(body)?;
    let mut asked = Asked {
        model: fields.text("model")?.map(str::to_owned),
        stream: fields.truth("stream")?,
        choices: 1,
        ..Asked::default()
    };
    if let Some(thread) = fields.get("thread") {
        asked.in_thread = true;
        asked.thread = thread.get("previous_message_id").and_then(Value::as_str).map(str::to_owned);
        asked.tools = fields.get("tools").map(|tools| tools.to_string().into());
    }
    // None at all only fills the cache.
    if fields.count("max_tokens", 0, u32::MAX)?.is_none() && !counts_only {
        return Err(missing("max_tokens"));
    }
    if let Some(tools) = fields.get("tools").filter(|tools| tools.as_array().is_none()) {
        return Err(wrong("tools", "a list", tools));
    }
    for (at, message) in fields.list("messages")?.iter().enumerate() {
        let place = |name: &str| format!("messages.{at}.{name}");
        let content = message.get("content").unwrap_or(&Value::Null);
        if !matches!(content, Value::String(_) | Value::Array(_)) {
            return Err(wrong(&place("content"), "a string or a list of blocks", content));
        }
        let role = message.get("role").and_then(Value::as_str);
        if let Some("user" | "assistant") = role {
            asked.hear(role.unwrap_or_default(), content);
        }
        match role {
            Some("user") => read_user(content, &mut asked),
            Some("assistant") => read_assistant(content, &mut asked),
            // Instructions on the way; the first ones have a field of their own.
            Some("system") if at > 0 => {}
            _ => return Err(Refusal::of_part(&place("role"), "the role of a message is `user` or `assistant`")),
        }
    }
    Ok(asked)
}

/// An answer of the model, with the calls that it asked for.
fn read_assistant(content: &Value, asked: &mut Asked) {
    asked.answered();
    for block in items(Some(content)) {
        let text = |key: &str| block.get(key).and_then(Value::as_str).map(str::to_owned);
        let arguments = block.get("input").map(ToString::to_string);
        asked.repeat(text("id"), text("name"), arguments);
    }
}

/// A user's message is what the user said, or what tools gave, or both.
fn read_user(content: &Value, asked: &mut Asked) {
    let said = text(content);
    let blocks = items(Some(content));
    let kind = |block: &Value, wanted: &str| block.get("type").and_then(Value::as_str) == Some(wanted);
    for block in blocks.iter().filter(|block| kind(block, "tool_result")) {
        asked.take_result(GivenResult {
            call_id: block.get("tool_use_id").and_then(Value::as_str).unwrap_or_default().to_owned(),
            content: result_text(block.get("content").unwrap_or(&Value::Null)),
            failed: block.get("is_error").and_then(Value::as_bool).unwrap_or_default(),
            function: None,
            at: 0,
        });
    }
    if !said.is_empty() || !blocks.iter().any(|block| kind(block, "tool_result")) {
        asked.user = said;
    }
}
