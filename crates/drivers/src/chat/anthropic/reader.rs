//! Reads an answer, streamed or whole.

use std::collections::BTreeMap;

use agentci_trace::{EventKind, Observer, ToolCall, ToolResult, Usage};
use serde_json::{Map, Value};

use super::super::completion::{AnswerReader, Completion, CompletionCall, CompletionError, SpokenPieces, finish_word};
use crate::template_parts::as_text;

/// The maximum number of blocks in one answer.
const MOST_BLOCKS: usize = 10_000;

/// Assembles an answer.
#[derive(Debug, Default)]
pub(crate) struct AnthropicReader {
    blocks: BTreeMap<u64, AnswerBlock>,
    completion: Completion,
    /// Tokens that were read from and written to the provider's cache; they count as input.
    cached: u64,
    events: usize,
    done: bool,
}

#[derive(Debug, Default)]
struct AnswerBlock {
    /// The block as it was started.
    opened: Map<String, Value>,
    /// The text or reasoning, or the arguments of a call.
    text: String,
    signature: String,
}

impl AnswerReader for AnthropicReader {
    fn event(&mut self, data: &str) -> SpokenPieces {
        self.events += 1;
        let event: Value = serde_json::from_str(data)
            .map_err(|error| CompletionError::Malformed(format!("event {} is not JSON: {error}", self.events)))?;
        self.value(&event)
    }

    fn whole(&mut self, answer: &Value) -> SpokenPieces {
        if answer.get("type").and_then(Value::as_str) == Some("error") {
            return Err(failed(answer));
        }
        let Some(content) = answer.get("content").and_then(Value::as_array) else {
            return Err(CompletionError::Malformed("the answer has no `content`".into()));
        };
        self.begin(answer);
        self.stopped(answer);
        let mut pieces = Vec::new();
        for (number, block) in (0..).zip(content) {
            pieces.extend(self.open(number, block)?);
        }
        self.done = true;
        Ok(pieces)
    }

    fn is_over(&self) -> bool {
        self.done
    }

    fn finish(&mut self) -> Result<Completion, CompletionError> {
        let Self { mut completion, blocks, done, .. } = std::mem::take(self);
        if !done {
            return Err(CompletionError::CutOff);
        }
        for block in blocks.into_values() {
            close(block, &mut completion);
        }
        Ok(completion)
    }
}

impl AnthropicReader {
    /// Handles a parsed event.
    pub(crate) fn value(&mut self, event: &Value) -> SpokenPieces {
        let number = event.get("index").and_then(Value::as_u64).unwrap_or_default();
        match event.get("type").and_then(Value::as_str) {
            Some("message_start") => self.begin(&event["message"]),
            Some("content_block_start") => return self.open(number, &event["content_block"]),
            Some("content_block_delta") => return self.delta(number, &event["delta"]),
            Some("message_delta") => {
                self.stopped(&event["delta"]);
                self.used(&event["usage"]);
            }
            Some("message_stop") => self.done = true,
            Some("error") => return Err(failed(event)),
            // Pings, the ends of blocks, and unknown events.
            Some(_) => {}
            None => return Err(CompletionError::Malformed(format!("event {} has no `type`", self.events))),
        }
        Ok(Vec::new())
    }

    fn begin(&mut self, message: &Value) {
        self.completion.model = message.get("model").and_then(Value::as_str).map(str::to_owned);
        self.used(&message["usage"]);
    }

    fn open(&mut self, number: u64, block: &Value) -> SpokenPieces {
        if self.blocks.len() >= MOST_BLOCKS {
            return Err(CompletionError::Malformed(format!("the answer has more than {MOST_BLOCKS} blocks")));
        }
        let said = match block["type"].as_str() {
            Some(kind @ ("text" | "thinking")) => block[kind].as_str().unwrap_or_default(),
            _ => "",
        };
        let opened = block.as_object().cloned().unwrap_or_default();
        let mut block = AnswerBlock { opened, ..AnswerBlock::default() };
        let pieces = block.say(said);
        self.blocks.insert(number, block);
        Ok(pieces)
    }

    fn delta(&mut self, number: u64, delta: &Value) -> SpokenPieces {
        let Some(block) = self.blocks.get_mut(&number) else {
            let words = format!("event {} belongs to block {number}, which never began", self.events);
            return Err(CompletionError::Malformed(words));
        };
        let text = |name: &str| delta.get(name).and_then(Value::as_str).unwrap_or_default();
        match text("type") {
            "text_delta" => return Ok(block.say(text("text"))),
            "thinking_delta" => return Ok(block.say(text("thinking"))),
            "input_json_delta" => block.text.push_str(text("partial_json")),
            "signature_delta" => block.signature.push_str(text("signature")),
            _ => {}
        }
        Ok(Vec::new())
    }

    fn stopped(&mut self, delta: &Value) {
        if let Some(reason) = delta.get("stop_reason").and_then(Value::as_str) {
            self.completion.finish = Some(finish_word(reason));
        }
    }

    fn used(&mut self, usage: &Value) {
        let count = |name: &str| usage.get(name).and_then(Value::as_u64);
        let cached = [count("cache_read_input_tokens"), count("cache_creation_input_tokens")];
        if cached.iter().any(Option::is_some) {
            self.cached = cached.into_iter().flatten().fold(0, u64::saturating_add);
        }
        let known = self.completion.usage;
        // Counts are cumulative.
        let read = count("input_tokens").map(|read| read.saturating_add(self.cached));
        let (tokens_in, tokens_out) = (read.or(known.tokens_in), count("output_tokens").or(known.tokens_out));
        self.completion.usage = Usage { tokens_in, tokens_out, cost_usd: None };
    }
}

impl AnswerBlock {
    /// Adds text or reasoning.
    fn say(&mut self, said: &str) -> Vec<EventKind> {
        if said.is_empty() {
            return Vec::new();
        }
        self.text.push_str(said);
        let piece = if self.is("thinking") { EventKind::Reasoning } else { EventKind::Text };
        vec![piece(said.to_owned())]
    }

    fn is(&self, kind: &str) -> bool {
        self.opened.get("type").and_then(Value::as_str) == Some(kind)
    }

    fn call(&self) -> CompletionCall {
        let begun = self.opened.get("input").filter(|input| input.as_object().is_some_and(|input| !input.is_empty()));
        let arguments = match begun {
            Some(input) if self.text.is_empty() => input.to_string(),
            _ => self.text.clone(),
        };
        CompletionCall { id: self.field("id"), name: self.field("name"), arguments }
    }

    /// The tool result in this block.
    fn result(&self) -> ToolResult {
        let content = self.opened.get("content").cloned().unwrap_or_default();
        let kind = content.get("type").and_then(Value::as_str).unwrap_or_default();
        let call_id = self.field("tool_use_id");
        if self.opened.get("is_error") == Some(&Value::Bool(true)) || kind.ends_with("_error") {
            return ToolResult { call_id, error: Some(as_text(&content)), ..ToolResult::default() };
        }
        ToolResult { call_id, ok: true, result: content.into(), ..ToolResult::default() }
    }

    fn field(&self, name: &str) -> String {
        self.opened.get(name).and_then(Value::as_str).unwrap_or_default().to_owned()
    }
}

/// Adds a complete block to the completion.
fn close(mut block: AnswerBlock, completion: &mut Completion) {
    if block.is("text") {
        completion.text.push_str(&block.text);
    } else if block.is("thinking") {
        completion.reasoning.push_str(&block.text);
        let signature = block.field("signature") + &block.signature;
        block.opened.insert("thinking".into(), block.text.into());
        block.opened.insert("signature".into(), signature.into());
        completion.thoughts.push(Value::Object(block.opened));
    } else if block.is("redacted_thinking") {
        completion.thoughts.push(Value::Object(block.opened));
    } else if block.is("tool_use") {
        completion.calls.push(block.call());
    } else if block.is("server_tool_use") || block.is("mcp_tool_use") {
        let call = ToolCall { observer: Observer::Provider, ..block.call().traced() };
        completion.provided.push(EventKind::ToolCall(call));
    } else if block.field("type").ends_with("tool_result") {
        let mut result = block.result();
        let is_call = |told: &EventKind| matches!(told, EventKind::ToolCall(call) if call.call_id == result.call_id);
        if completion.provided.iter().any(is_call) {
            result.observer = Observer::Provider;
        }
        completion.provided.push(EventKind::ToolResult(result));
    }
}

fn failed(event: &Value) -> CompletionError {
    let error = event.get("error").unwrap_or(event);
    let text = |name: &str| error.get(name).and_then(Value::as_str).map(str::to_owned);
    CompletionError::Failed { kind: text("type"), message: text("message").unwrap_or_else(|| error.to_string()) }
}
