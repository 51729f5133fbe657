//! Reads an answer, streamed or whole.

use std::collections::BTreeMap;

use agentci_trace::{EventKind, Usage};
use serde_json::Value;

use super::super::completion::{AnswerReader, Completion, CompletionCall, CompletionError, SpokenPieces};
use super::super::message::text_of;

/// The maximum number of tool calls in one answer.
const MOST_CALLS: usize = 1_000;

/// Assembles an answer.
#[derive(Debug, Default)]
pub(crate) struct OpenAiReader {
    completion: Completion,
    /// The tool calls by their index in the answer.
    calls: BTreeMap<u64, CompletionCall>,
    events: usize,
    done: bool,
}

impl AnswerReader for OpenAiReader {
    fn event(&mut self, data: &str) -> SpokenPieces {
        self.events += 1;
        if data.trim() == "[DONE]" {
            self.done = true;
            return Ok(Vec::new());
        }
        let event: Value = serde_json::from_str(data)
            .map_err(|error| CompletionError::Malformed(format!("event {} is not JSON: {error}", self.events)))?;
        self.value(&event)
    }

    fn whole(&mut self, answer: &Value) -> SpokenPieces {
        let pieces = self.take(answer, "message")?;
        if answer.get("choices").and_then(Value::as_array).is_none_or(Vec::is_empty) {
            return Err(CompletionError::Malformed("the answer has no `choices`".into()));
        }
        self.done = true;
        Ok(pieces)
    }

    fn is_over(&self) -> bool {
        self.done
    }

    fn finish(&mut self) -> Result<Completion, CompletionError> {
        let Self { mut completion, calls, done, .. } = std::mem::take(self);
        if !done && completion.finish.is_none() {
            return Err(CompletionError::CutOff);
        }
        completion.calls = calls.into_values().collect();
        for (at, call) in completion.calls.iter_mut().enumerate() {
            if call.id.is_empty() {
                call.id = format!("call_{}", at + 1);
            }
        }
        Ok(completion)
    }
}

impl OpenAiReader {
    /// Handles a parsed event.
    pub(crate) fn value(&mut self, event: &Value) -> SpokenPieces {
        self.take(event, "delta")
    }

    /// Whether the answer has a finish reason.
    pub(crate) fn has_stopped(&self) -> bool {
        self.completion.finish.is_some()
    }

    fn take(&mut self, event: &Value, part: &str) -> SpokenPieces {
        if let Some(error) = event.get("error").filter(|error| !error.is_null()) {
            return Err(failed(error));
        }
        if let Some(model) = event.get("model").and_then(Value::as_str).filter(|model| !model.is_empty()) {
            self.completion.model = Some(model.to_owned());
        }
        if let Some(usage) = event.get("usage").filter(|usage| usage.is_object()) {
            self.completion.usage = used(usage);
        }
        let mut pieces = Vec::new();
        for choice in event.get("choices").and_then(Value::as_array).into_iter().flatten() {
            // If several answers were requested, the first counts.
            if choice.get("index").and_then(Value::as_u64).unwrap_or_default() > 0 {
                continue;
            }
            // Some servers send the whole message as their only event.
            let said = choice.get(part).or_else(|| choice.get("message"));
            if let Some(said) = said.filter(|said| said.is_object()) {
                self.say(said, &mut pieces)?;
            }
            if let Some(reason) = choice.get("finish_reason").and_then(Value::as_str) {
                self.completion.finish = Some(reason.to_owned());
            }
        }
        Ok(pieces)
    }

    fn say(&mut self, said: &Value, pieces: &mut Vec<EventKind>) -> Result<(), CompletionError> {
        let thought = ["reasoning_content", "reasoning"].iter().find_map(|name| said.get(*name)?.as_str());
        if let Some(thought) = thought.filter(|thought| !thought.is_empty()) {
            self.completion.reasoning.push_str(thought);
            pieces.push(EventKind::Reasoning(thought.to_owned()));
        }
        let text = said.get("content").map(|content| text_of(content, "")).unwrap_or_default();
        if !text.is_empty() {
            self.completion.text.push_str(&text);
            pieces.push(EventKind::Text(text));
        }
        if let Some(refusal) = said.get("refusal").and_then(Value::as_str).filter(|refusal| !refusal.is_empty()) {
            self.completion.refusal.push_str(refusal);
            pieces.push(EventKind::Text(refusal.to_owned()));
        }
        for (at, part) in said.get("tool_calls").and_then(Value::as_array).into_iter().flatten().enumerate() {
            self.call(at, part)?;
        }
        Ok(())
    }

    fn call(&mut self, at: usize, part: &Value) -> Result<(), CompletionError> {
        let number = part.get("index").and_then(Value::as_u64).unwrap_or(at as u64);
        if self.calls.len() >= MOST_CALLS && !self.calls.contains_key(&number) {
            return Err(CompletionError::Malformed(format!("the answer calls more than {MOST_CALLS} tools")));
        }
        let call = self.calls.entry(number).or_default();
        let text = |name: &str| part.get(name).and_then(Value::as_str).unwrap_or_default();
        if !text("id").is_empty() {
            text("id").clone_into(&mut call.id);
        }
        let Some(function) = part.get("function") else { return Ok(()) };
        call.name.push_str(function.get("name").and_then(Value::as_str).unwrap_or_default());
        match function.get("arguments") {
            None | Some(Value::Null) => {}
            Some(Value::String(arguments)) => call.arguments.push_str(arguments),
            // Some servers send the object itself.
            Some(other) => call.arguments.push_str(&other.to_string()),
        }
        Ok(())
    }
}

fn used(usage: &Value) -> Usage {
    let count = |name: &str| usage.get(name).and_then(Value::as_u64);
    Usage { tokens_in: count("prompt_tokens"), tokens_out: count("completion_tokens"), cost_usd: None }
}

fn failed(error: &Value) -> CompletionError {
    let text = |name: &str| error.get(name).and_then(Value::as_str).map(str::to_owned);
    let message = text("message").or_else(|| error.as_str().map(str::to_owned)).unwrap_or_else(|| error.to_string());
    CompletionError::Failed { kind: text("type").or_else(|| text("code")), message }
}
