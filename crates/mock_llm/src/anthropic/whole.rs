//! A message at once.

use serde::Serialize;
use serde_json::Value;

use super::super::answer::Answer;
use super::stop_reason;

/// A message, whole or just begun.
#[derive(Serialize)]
pub(super) struct Message<'a> {
    pub(super) id: &'a str,
    pub(super) r#type: &'static str,
    pub(super) role: &'static str,
    pub(super) model: &'a str,
    pub(super) content: Vec<Block<'a>>,
    pub(super) stop_reason: Option<&'static str>,
    pub(super) stop_sequence: (),
    pub(super) usage: Usage,
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Block<'a> {
    Text { text: &'a str },
    ToolUse { id: &'a str, name: &'a str, input: &'a Value },
}

#[derive(Serialize)]
#[expect(clippy::struct_field_names, reason = "the names are the provider's")]
pub(super) struct Usage {
    pub(super) input_tokens: u32,
    pub(super) cache_creation_input_tokens: u32,
    pub(super) cache_read_input_tokens: u32,
    pub(super) output_tokens: u32,
}

impl Usage {
    pub(super) fn new(input_tokens: u32, output_tokens: u32) -> Self {
        Self { input_tokens, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens }
    }
}

/// The whole message.
pub(in super::super) fn whole(answer: &Answer) -> Vec<u8> {
    // A block without text could not be sent back.
    let said = answer.text.as_deref().filter(|text| !text.is_empty()).map(|text| Block::Text { text });
    let calls = answer.calls.iter().map(|call| Block::ToolUse { id: &call.id, name: &call.name, input: &call.args });
    let message = Message {
        id: &answer.id("msg_"),
        r#type: "message",
        role: "assistant",
        model: &answer.model,
        content: said.into_iter().chain(calls).collect(),
        stop_reason: Some(stop_reason(answer.finish)),
        stop_sequence: (),
        usage: Usage::new(answer.input_tokens, answer.output_tokens),
    };
    serde_json::to_vec(&message).unwrap_or_default()
}
