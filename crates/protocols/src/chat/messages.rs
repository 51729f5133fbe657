//! Anthropic's Messages.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::answer::{AnswerCall, AnswerUsage, ModelAnswer, ProviderTool, arguments, count, list, named, text};
use super::read::Assembled;

/// The maximum number of blocks that are read of one answer.
const BLOCKS_MOST: usize = 10_000;

/// Assembles a streamed message.
#[derive(Debug, Default)]
pub struct MessagesAssembly {
    message: Map<String, Value>,
    usage: Map<String, Value>,
    blocks: BTreeMap<u64, MessagesBlock>,
    complete: bool,
}

/// A block of the answer that is being assembled.
#[derive(Debug, Default)]
struct MessagesBlock {
    begun: Map<String, Value>,
    /// Streamed texts, by key.
    grown: BTreeMap<&'static str, String>,
    /// The arguments of a tool call.
    json: String,
    stopped: bool,
}

impl MessagesAssembly {
    /// Adds an event.
    pub fn take(&mut self, event: &Value) {
        let index = event["index"].as_u64().unwrap_or_default();
        match text(event, "type") {
            "message_start" => {
                self.message = event["message"].as_object().cloned().unwrap_or_default();
                add(&mut self.usage, &event["message"]["usage"]);
            }
            "content_block_start" if self.blocks.len() < BLOCKS_MOST => {
                let begun = event["content_block"].as_object().cloned().unwrap_or_default();
                self.blocks.insert(index, MessagesBlock { begun, ..MessagesBlock::default() });
            }
            "content_block_delta" => {
                if let Some(block) = self.blocks.get_mut(&index) {
                    block.grow(&event["delta"]);
                }
            }
            "content_block_stop" => {
                if let Some(block) = self.blocks.get_mut(&index) {
                    block.stopped = true;
                }
            }
            "message_delta" => {
                add(&mut self.message, &event["delta"]);
                add(&mut self.usage, &event["usage"]);
            }
            "message_stop" => {
                self.complete = true;
                // Some servers do not end their blocks.
                self.blocks.values_mut().for_each(|block| block.stopped = true);
            }
            _ => {}
        }
    }

    /// The answer so far. The arguments of its calls are exactly what the model wrote.
    pub fn finish(self) -> ModelAnswer {
        let calls = self.blocks.values().filter(|block| block.begun.get("type") == Some(&json!("tool_use")));
        let written: Vec<String> = calls.map(|call| call.json.clone()).collect();
        let mut answer = self.assembled().read(fill);
        for (call, written) in answer.calls.iter_mut().zip(written).filter(|(_, written)| !written.is_empty()) {
            call.arguments = written;
        }
        answer
    }

    fn assembled(self) -> Assembled {
        let Self { mut message, usage, blocks, complete } = self;
        let content: Vec<Value> = blocks.into_values().map(MessagesBlock::whole).collect();
        message.entry("type").or_insert_with(|| json!("message"));
        message.insert("content".into(), content.into());
        message.insert("usage".into(), usage.into());
        Assembled { whole: message.into(), complete }
    }
}

pub(super) fn assemble(events: &[Value]) -> Assembled {
    let mut message = MessagesAssembly::default();
    for event in events {
        message.take(event);
    }
    message.assembled()
}

fn add(known: &mut Map<String, Value>, more: &Value) {
    let more = more.as_object().into_iter().flatten().filter(|(_, value)| !value.is_null());
    known.extend(more.map(|(key, value)| (key.clone(), value.clone())));
}

impl MessagesBlock {
    fn grow(&mut self, delta: &Value) {
        let (key, said) = match text(delta, "type") {
            "text_delta" => ("text", text(delta, "text")),
            "thinking_delta" => ("thinking", text(delta, "thinking")),
            "signature_delta" => ("signature", text(delta, "signature")),
            "input_json_delta" => return self.json.push_str(text(delta, "partial_json")),
            _ => return,
        };
        self.grown.entry(key).or_default().push_str(said);
    }

    fn whole(mut self) -> Value {
        for (key, said) in self.grown {
            let before = self.begun.get(key).and_then(Value::as_str).unwrap_or_default();
            let all = format!("{before}{said}");
            self.begun.insert(key.into(), all.into());
        }
        let is_call = self.begun.contains_key("input");
        if !self.json.is_empty() || (is_call && !self.stopped) {
            // Incomplete arguments stay a string: a call starts with empty ones.
            let input = serde_json::from_str(&self.json).unwrap_or(Value::String(self.json));
            self.begun.insert("input".into(), input);
        }
        self.begun.into()
    }
}

pub(super) fn fill(whole: &Value, answer: &mut ModelAnswer) {
    (answer.id, answer.model) = (named(whole, "id"), named(whole, "model"));
    answer.usage = whole.get("usage").and_then(usage);
    answer.finish = named(whole, "stop_reason");
    for block in list(whole, "content") {
        take(block, answer);
    }
}

fn take(block: &Value, answer: &mut ModelAnswer) {
    match text(block, "type") {
        "text" => answer.text.push_str(text(block, "text")),
        "thinking" => answer.reasoning.push_str(text(block, "thinking")),
        "tool_use" => answer.calls.push(AnswerCall::read(text(block, "id"), block, "input")),
        "server_tool_use" | "mcp_tool_use" => {
            let (id, name, arguments) = (text(block, "id").into(), text(block, "name").into(), block["input"].clone());
            answer.provider_tools.push(ProviderTool { id, name, arguments, ..ProviderTool::default() });
        }
        // `web_search_tool_result`, `code_execution_tool_result`, `mcp_tool_result` and so on.
        kind if kind.ends_with("tool_result") => {
            let id = text(block, "tool_use_id");
            if let Some(tool) = answer.provider_tools.iter_mut().find(|tool| tool.id == id) {
                let content = &block["content"];
                let failed = block["is_error"] == true || text(content, "type").ends_with("_error");
                let words = || named(content, "error_code").unwrap_or_else(|| arguments(Some(content)));
                tool.error = failed.then(words);
                tool.result = content.clone();
            }
        }
        _ => {}
    }
}

fn usage(usage: &Value) -> Option<AnswerUsage> {
    let (cached, written) = (count(usage, "cache_read_input_tokens"), count(usage, "cache_creation_input_tokens"));
    AnswerUsage::beside_cache(count(usage, "input_tokens"), count(usage, "output_tokens"), cached, written)
}
