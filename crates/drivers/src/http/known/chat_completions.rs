//! `OpenAI`'s Chat Completions: one, or several in sequence if the agent works in steps.

use std::borrow::Cow;

use agentci_trace::EventKind;
use serde_json::{Value, json};

use super::{answered, broken, concluded, result_value, text};
use crate::chat::AnswerReader as _;
use crate::chat::openai::OpenAiReader;
use crate::http::reader::Read;

#[derive(Debug, Default)]
pub(in crate::http) struct ChatCompletions {
    reader: OpenAiReader,
    /// Whether the current completion has any content.
    begun: bool,
    /// Whether the stream ended with `[DONE]`.
    pub(super) done: bool,
}

impl ChatCompletions {
    pub(super) fn event(&mut self, event: &Value, out: &mut Vec<EventKind>) -> Read {
        let event = &*with_tool_calls(event);
        let delta = &event["choices"][0]["delta"];
        let speaks = delta["tool_calls"].is_array() || !text(delta, "content").is_empty();
        // Content after the end of a completion belongs to the next one, whose call indexes start over.
        if self.reader.has_stopped() && speaks {
            self.conclude(out)?;
        }
        if text(delta, "role") == "tool" {
            out.push(answered(text(delta, "tool_call_id"), result_value(&delta["content"])));
            return Ok(());
        }
        self.begun |= speaks;
        out.extend(self.reader.value(event).map_err(broken)?);
        Ok(())
    }

    pub(super) fn end(&mut self, out: &mut Vec<EventKind>) -> Option<&'static str> {
        if !self.reader.has_stopped() && !self.done && self.begun {
            return Some("it has neither a `finish_reason` nor `[DONE]`");
        }
        let _ = self.conclude(out);
        None
    }

    /// Ends the current completion and emits its tool calls.
    fn conclude(&mut self, out: &mut Vec<EventKind>) -> Read {
        self.begun = false;
        if !self.reader.has_stopped() {
            // Some servers send `[DONE]` without a finish reason.
            self.reader.event("[DONE]").map_err(broken)?;
        }
        concluded(self.reader.finish().map_err(broken)?, out);
        Ok(())
    }
}

/// Converts the deprecated `function_call` of an event to `tool_calls`.
fn with_tool_calls(event: &Value) -> Cow<'_, Value> {
    let old = ["delta", "message"].into_iter().find(|part| event["choices"][0][part]["function_call"].is_object());
    let Some(part) = old else { return Cow::Borrowed(event) };
    let mut event = event.clone();
    let said = &mut event["choices"][0][part];
    let function = said["function_call"].take();
    if !said["tool_calls"].is_array() {
        said["tool_calls"] = json!([{ "index": 0, "function": function }]);
    }
    Cow::Owned(event)
}
