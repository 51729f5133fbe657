//! Amazon Bedrock's Converse, and `InvokeModel` with models that answer in a known format: Anthropic's Messages, or
//! Converse as Amazon's own models do.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::answer::{AnswerCall, AnswerUsage, ModelAnswer, count, list, named, text};
use super::messages;
use super::read::{Assembled, object};

/// The maximum number of blocks that are read of one answer.
const BLOCKS_MOST: usize = 10_000;

/// A block of the answer that is being assembled.
#[derive(Default)]
struct BedrockBlock {
    said: String,
    thought: String,
    /// The tool call and its arguments.
    call: Option<(Value, String)>,
    stopped: bool,
}

pub(super) fn assemble(events: &[Value]) -> Assembled {
    // InvokeModel wraps the model's events.
    let inner: Vec<Value> = events.iter().filter_map(unpacked).collect();
    if inner.iter().any(|event| text(event, "type") == "message_start") {
        return messages::assemble(&inner);
    }
    converse(if inner.is_empty() { events } else { &inner })
}

fn unpacked(event: &Value) -> Option<Value> {
    let bytes = STANDARD.decode(text(event.get("chunk")?, "bytes")).ok()?;
    serde_json::from_slice(&bytes).ok()
}

fn converse(events: &[Value]) -> Assembled {
    let mut blocks: BTreeMap<u64, BedrockBlock> = BTreeMap::new();
    let (mut stop, mut usage) = (Value::Null, Value::Null);
    for event in events {
        let Some((kind, payload)) = event.as_object().and_then(|map| map.iter().next()) else { continue };
        let index = payload["contentBlockIndex"].as_u64().unwrap_or_default();
        let known = blocks.contains_key(&index) || blocks.len() < BLOCKS_MOST;
        match kind.as_str() {
            "contentBlockStart" if known => {
                let call = payload.pointer("/start/toolUse").cloned();
                blocks.entry(index).or_default().call = call.map(|call| (call, String::new()));
            }
            "contentBlockDelta" if known => blocks.entry(index).or_default().grow(&payload["delta"]),
            "contentBlockStop" if known => blocks.entry(index).or_default().stopped = true,
            "messageStop" => stop = payload["stopReason"].clone(),
            "metadata" => usage = payload["usage"].clone(),
            _ => {}
        }
    }
    let complete = stop.is_string();
    let content: Vec<Value> = blocks.into_values().map(BedrockBlock::whole).collect();
    let message = json!({ "role": "assistant", "content": content });
    let whole = object([("output", json!({ "message": message })), ("stopReason", stop), ("usage", usage)]);
    Assembled { whole, complete }
}

impl BedrockBlock {
    fn grow(&mut self, delta: &Value) {
        self.said.push_str(text(delta, "text"));
        self.thought.push_str(text(&delta["reasoningContent"], "text"));
        if let Some((_, arguments)) = &mut self.call {
            arguments.push_str(text(&delta["toolUse"], "input"));
        }
    }

    fn whole(self) -> Value {
        match self.call {
            Some((call, input)) => {
                let input = if input.is_empty() && self.stopped {
                    Ok(json!({}))
                } else {
                    serde_json::from_str(&input).map_err(|_| input)
                };
                let call = json!({
                    "toolUseId": call["toolUseId"],
                    "name": call["name"],
                    // Incomplete arguments stay a string.
                    "input": input.unwrap_or_else(Value::String),
                });
                json!({ "toolUse": call })
            }
            None if !self.thought.is_empty() => {
                json!({ "reasoningContent": { "reasoningText": { "text": self.thought } } })
            }
            None => json!({ "text": self.said }),
        }
    }
}

pub(super) fn fill(whole: &Value, answer: &mut ModelAnswer) {
    if text(whole, "type") == "message" {
        return messages::fill(whole, answer);
    }
    answer.finish = named(whole, "stopReason");
    let usage = &whole["usage"];
    let (cached, written) = (count(usage, "cacheReadInputTokens"), count(usage, "cacheWriteInputTokens"));
    let (input, output) = (count(usage, "inputTokens"), count(usage, "outputTokens"));
    answer.usage = AnswerUsage::beside_cache(input, output, cached, written);
    for block in list(&whole["output"]["message"], "content") {
        answer.text.push_str(text(block, "text"));
        if let Some(thought) = block.pointer("/reasoningContent/reasoningText") {
            answer.reasoning.push_str(text(thought, "text"));
        }
        if let Some(call) = block.get("toolUse") {
            answer.calls.push(AnswerCall::read(text(call, "toolUseId"), call, "input"));
        }
    }
}
