//! Anthropic's Messages: one, or several in sequence if the agent works in steps.

use agentci_trace::EventKind;
use serde_json::Value;

use super::{broken, concluded, parsed, text};
use crate::chat::AnswerReader as _;
use crate::chat::anthropic::AnthropicReader;
use crate::http::reader::ReadResult;

#[derive(Debug, Default)]
pub(in crate::http) struct Messages {
    reader: AnthropicReader,
    /// Whether a message is open.
    pub(super) open: bool,
}

impl Messages {
    pub(super) fn event(&mut self, event: &Value, out: &mut Vec<EventKind>) -> ReadResult {
        let kind = text(event, "type");
        match kind {
            "message_start" => *self = Self { open: true, ..Self::default() },
            // Agents may send other events between messages.
            _ if !self.open && kind != "error" => return Ok(()),
            _ if event.get("type").is_none() => return Ok(()),
            _ => {}
        }
        out.extend(self.reader.value(event).map_err(broken)?);
        if kind == "message_stop" { self.conclude(out) } else { Ok(()) }
    }

    /// Handles a message that is not streamed.
    pub(super) fn whole(&mut self, message: &Value, out: &mut Vec<EventKind>) -> ReadResult {
        out.extend(self.reader.whole(message).map_err(broken)?);
        self.conclude(out)
    }

    fn conclude(&mut self, out: &mut Vec<EventKind>) -> ReadResult {
        let mut completion = std::mem::take(self).reader.finish().map_err(broken)?;
        let provided = std::mem::take(&mut completion.provided);
        concluded(completion, out);
        out.extend(provided.into_iter().map(parsed));
        Ok(())
    }
}
