//! Reads an answer, streamed or whole.

use agentci_protocols::chat::ChatAssembly;
use agentci_trace::EventKind;
use serde_json::Value;

use super::super::completion::{AnswerReader, Completion, CompletionError, SpokenPieces};
use super::super::message::text_of;

/// The maximum number of tool calls in one answer.
const MOST_CALLS: usize = 1_000;

/// Assembles an answer.
#[derive(Debug, Default)]
pub(crate) struct OpenAiReader {
    answer: ChatAssembly,
    events: usize,
    /// Whether there is a finish reason.
    stopped: bool,
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
        let pieces = self.value(answer)?;
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
        let Self { answer, stopped, done, .. } = std::mem::take(self);
        if !done && !stopped {
            return Err(CompletionError::CutOff);
        }
        let mut answer = answer.finish();
        for (at, call) in answer.calls.iter_mut().enumerate().filter(|(_, call)| call.id.is_empty()) {
            call.id = format!("call_{}", at + 1);
        }
        let message = &answer.whole["choices"][0]["message"];
        let part = |name: &str| message[name].as_str().unwrap_or_default().to_owned();
        Ok(Completion { text: part("content"), refusal: part("refusal"), ..answer.into() })
    }
}

impl OpenAiReader {
    /// Handles a parsed event, or an answer that is not streamed.
    pub(crate) fn value(&mut self, event: &Value) -> SpokenPieces {
        if let Some(error) = event.get("error").filter(|error| !error.is_null()) {
            return Err(failed(error));
        }
        let mut pieces = Vec::new();
        for choice in event.get("choices").and_then(Value::as_array).into_iter().flatten() {
            // If several answers were requested, the first counts.
            if choice.get("index").and_then(Value::as_u64).unwrap_or_default() > 0 {
                continue;
            }
            // Some servers send the whole message as their only event.
            let said = ["delta", "message"].into_iter().find(|part| choice[*part].is_object());
            pieces.extend(said.into_iter().flat_map(|part| spoken(&choice[part])));
            self.stopped |= choice["finish_reason"].as_str().is_some_and(|reason| !reason.is_empty());
        }
        self.answer.take(event);
        if self.answer.calls() > MOST_CALLS {
            return Err(CompletionError::Malformed(format!("the answer calls more than {MOST_CALLS} tools")));
        }
        Ok(pieces)
    }

    /// Whether the answer has a finish reason.
    pub(crate) fn has_stopped(&self) -> bool {
        self.stopped
    }
}

/// The reasoning and the text in a message or a piece of one.
fn spoken(said: &Value) -> impl Iterator<Item = EventKind> {
    let text = |name: &str| said.get(name).and_then(Value::as_str).filter(|text| !text.is_empty()).map(str::to_owned);
    let content = said.get("content").map(|content| text_of(content, "")).filter(|text| !text.is_empty());
    let thought = text("reasoning_content").or_else(|| text("reasoning"));
    let thought = thought.map(EventKind::Reasoning).into_iter();
    thought.chain([content, text("refusal")].into_iter().flatten().map(EventKind::Text))
}

fn failed(error: &Value) -> CompletionError {
    let text = |name: &str| error.get(name).and_then(Value::as_str).map(str::to_owned);
    let message = text("message").or_else(|| error.as_str().map(str::to_owned)).unwrap_or_else(|| error.to_string());
    CompletionError::Failed { kind: text("type").or_else(|| text("code")), message }
}
