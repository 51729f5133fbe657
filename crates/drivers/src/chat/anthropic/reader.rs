//! Reads an answer, streamed or whole.

use std::collections::BTreeSet;

use agentci_protocols::chat::{MessagesAssembly, ProviderTool};
use agentci_trace::{EventKind, Observer, ToolResult};
use serde_json::{Value, json};

use super::super::completion::{AnswerReader, Completion, CompletionError, SpokenPieces, finish_word};
use crate::template_parts::as_text;

/// The maximum number of blocks in one answer.
const MOST_BLOCKS: usize = 10_000;

/// Assembles an answer.
#[derive(Debug, Default)]
pub(crate) struct AnthropicReader {
    answer: MessagesAssembly,
    /// The blocks that began.
    begun: BTreeSet<u64>,
    events: usize,
    done: bool,
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
        let mut pieces = self.value(&json!({ "type": "message_start", "message": answer }))?;
        for (index, block) in content.iter().enumerate() {
            let begun = json!({ "type": "content_block_start", "index": index, "content_block": block });
            pieces.extend(self.value(&begun)?);
        }
        self.value(&json!({ "type": "message_stop" }))?;
        Ok(pieces)
    }

    fn is_over(&self) -> bool {
        self.done
    }

    fn finish(&mut self) -> Result<Completion, CompletionError> {
        let Self { answer, done, .. } = std::mem::take(self);
        if !done {
            return Err(CompletionError::CutOff);
        }
        let mut answer = answer.finish();
        answer.finish = answer.finish.as_deref().map(finish_word);
        let (mut thoughts, mut results) = (Vec::new(), Vec::new());
        for block in answer.whole["content"].as_array().into_iter().flatten() {
            let is_of = |tool: &ProviderTool| block["tool_use_id"] == *tool.id;
            match block["type"].as_str().unwrap_or_default() {
                "thinking" => thoughts.push(signed(block)),
                "redacted_thinking" => thoughts.push(block.clone()),
                kind if kind.ends_with("tool_result") && !answer.provider_tools.iter().any(is_of) => {
                    results.push(EventKind::ToolResult(result(block)));
                }
                _ => {}
            }
        }
        let mut completion = Completion { thoughts, ..answer.into() };
        completion.provided.extend(results);
        Ok(completion)
    }
}

impl AnthropicReader {
    /// Handles a parsed event.
    pub(crate) fn value(&mut self, event: &Value) -> SpokenPieces {
        let number = event.get("index").and_then(Value::as_u64).unwrap_or_default();
        let pieces = match event.get("type").and_then(Value::as_str) {
            Some("content_block_start") if self.begun.len() >= MOST_BLOCKS => {
                return Err(CompletionError::Malformed(format!("the answer has more than {MOST_BLOCKS} blocks")));
            }
            Some("content_block_start") => {
                self.begun.insert(number);
                spoken(&event["content_block"])
            }
            Some("content_block_delta") if !self.begun.contains(&number) => {
                let words = format!("event {} belongs to block {number}, which never began", self.events);
                return Err(CompletionError::Malformed(words));
            }
            Some("content_block_delta") => spoken(&event["delta"]),
            Some("error") => return Err(failed(event)),
            Some(kind) => {
                self.done |= kind == "message_stop";
                Vec::new()
            }
            None => return Err(CompletionError::Malformed(format!("event {} has no `type`", self.events))),
        };
        self.answer.take(event);
        Ok(pieces)
    }
}

/// The text or reasoning in a block or a piece of one.
fn spoken(part: &Value) -> Vec<EventKind> {
    let text = |name: &str| part[name].as_str().unwrap_or_default().to_owned();
    let (said, piece): (String, fn(String) -> EventKind) = match part["type"].as_str() {
        Some("text" | "text_delta") => (text("text"), EventKind::Text),
        Some("thinking" | "thinking_delta") => (text("thinking"), EventKind::Reasoning),
        _ => return Vec::new(),
    };
    if said.is_empty() { Vec::new() } else { vec![piece(said)] }
}

/// A reasoning block as the provider expects it back. Compatible servers may not sign it, but require the key.
fn signed(block: &Value) -> Value {
    let mut block = block.clone();
    if let Some(block) = block.as_object_mut() {
        block.entry("signature").or_insert_with(|| "".into());
    }
    block
}

/// The result of a tool that the provider did not execute, or that it called in an earlier answer.
fn result(block: &Value) -> ToolResult {
    let content = &block["content"];
    let failed = block["is_error"] == true || content["type"].as_str().is_some_and(|kind| kind.ends_with("_error"));
    let outcome = if failed { Err(as_text(content)) } else { Ok(content.clone()) };
    ToolResult::new(block["tool_use_id"].as_str().unwrap_or_default(), outcome, Observer::default())
}

fn failed(event: &Value) -> CompletionError {
    let error = event.get("error").unwrap_or(event);
    let text = |name: &str| error.get(name).and_then(Value::as_str).map(str::to_owned);
    CompletionError::Failed { kind: text("type"), message: text("message").unwrap_or_else(|| error.to_string()) }
}
