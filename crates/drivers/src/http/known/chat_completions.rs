//! `OpenAI`'s Chat Completions: one, or several in sequence if the agent works in steps.

use agentci_trace::EventKind;
use serde_json::Value;

use super::{answered, broken, concluded, result_value, text};
use crate::chat::AnswerReader as _;
use crate::chat::openai::OpenAiReader;
use crate::http::reader::ReadResult;

#[derive(Debug, Default)]
pub(in crate::http) struct ChatCompletions {
    reader: OpenAiReader,
    /// Whether the current completion has any content.
    begun: bool,
    /// Whether the stream ended with `[DONE]`.
    pub(super) done: bool,
}

impl ChatCompletions {
    pub(super) fn event(&mut self, event: &Value, out: &mut Vec<EventKind>) -> ReadResult {
        let delta = &event["choices"][0]["delta"];
        let calls = delta["tool_calls"].is_array() || delta["function_call"].is_object();
        let speaks = calls || !text(delta, "content").is_empty();
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
    fn conclude(&mut self, out: &mut Vec<EventKind>) -> ReadResult {
        self.begun = false;
        if !self.reader.has_stopped() {
            // Some servers send `[DONE]` without a finish reason.
            self.reader.event("[DONE]").map_err(broken)?;
        }
        concluded(self.reader.finish().map_err(broken)?, out);
        Ok(())
    }
}
