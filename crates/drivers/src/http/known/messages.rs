//! Anthropic's Messages: one, or several in sequence if the agent works in steps.

use agentci_trace::EventKind;
use serde_json::{Value, json};

use super::{broken, concluded, result_value, text};
use crate::chat::AnswerReader as _;
use crate::chat::anthropic::AnthropicReader;
use crate::http::reader::Read;

#[derive(Debug, Default)]
pub(in crate::http) struct Messages {
    reader: AnthropicReader,
    /// Whether a message is open.
    pub(super) open: bool,
}

impl Messages {
    pub(super) fn event(&mut self, event: &Value, out: &mut Vec<EventKind>) -> Read {
        let kind = text(event, "type");
        match kind {
            "message_start" => *self = Self { open: true, ..Self::default() },
            // Agents may send other events between messages.
            _ if !self.open && kind != "error" => return Ok(()),
            _ if event.get("type").is_none() => return Ok(()),
            _ => {}
        }
        out.extend(self.reader.value(event).map_err(broken)?);
        if kind == "message_stop" {
            let mut completion = std::mem::take(self).reader.finish().map_err(broken)?;
            let mut provided = std::mem::take(&mut completion.provided);
            concluded(completion, out);
            for step in &mut provided {
                if let EventKind::ToolResult(given) = step {
                    given.result = result_value(&given.result).into();
                }
            }
            // Results may precede calls that are not complete yet.
            provided.sort_by_key(|step| matches!(step, EventKind::ToolResult(_)));
            out.extend(provided);
        }
        Ok(())
    }

    /// Handles a message that is not streamed.
    pub(super) fn whole(&mut self, message: &Value, out: &mut Vec<EventKind>) -> Read {
        self.event(&json!({ "type": "message_start", "message": message }), out)?;
        for (index, block) in message["content"].as_array().into_iter().flatten().enumerate() {
            self.event(&json!({ "type": "content_block_start", "index": index, "content_block": block }), out)?;
        }
        let reason = &message["stop_reason"];
        self.event(&json!({ "type": "message_delta", "delta": { "stop_reason": reason } }), out)?;
        self.event(&json!({ "type": "message_stop" }), out)
    }
}
