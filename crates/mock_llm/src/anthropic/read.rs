//! Reads a request.

use std::sync::Arc;

use crate::fields::{RequestFields, missing, wrong};
use crate::{messages, parsed_request::ParsedRequest, refusal::ModelRefusal};
use serde_json::Value;

/// Reads a request. One that only counts tokens needs no `max_tokens`.
pub(in super::super) fn read(body: &Value, counts_only: bool) -> Result<ParsedRequest, ModelRefusal> {
    let fields = RequestFields::open(body)?;
    let mut parsed = ParsedRequest {
        model: fields.text("model")?.map(str::to_owned),
        stream: fields.truth("stream")?,
        choices: 1,
        ..ParsedRequest::default()
    };
    if let Some(thread) = fields.get("thread") {
        parsed.in_thread = true;
        parsed.thread = thread["previous_message_id"].as_str().map(str::to_owned);
        parsed.tools = fields.get("tools").cloned().map(Arc::new);
    }
    // 0 is allowed: such a request only fills the cache.
    if fields.count("max_tokens", 0, u32::MAX)?.is_none() && !counts_only {
        return Err(missing("max_tokens"));
    }
    fields.check_tools()?;
    for (at, message) in fields.list("messages")?.iter().enumerate() {
        let place = |name: &str| format!("messages.{at}.{name}");
        let content = &message["content"];
        if !matches!(content, Value::String(_) | Value::Array(_)) {
            return Err(wrong(&place("content"), "a string or a list of blocks", content));
        }
        match message["role"].as_str() {
            Some("user" | "assistant") => {}
            // System messages are allowed between others.
            Some("system") if at > 0 => {}
            _ => {
                return Err(ModelRefusal::of_part(
                    &place("role"),
                    "the role of a message must be `user` or `assistant`",
                ));
            }
        }
    }
    messages::read(body, &mut parsed);
    Ok(parsed)
}
