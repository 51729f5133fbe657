//! Anthropic's Messages: one, or one after the other where an agent works in several steps.

use std::collections::BTreeMap;

use agentci_trace::EventKind;
use serde_json::{Value, json};

use super::{answered, arguments, broken, by_provider, called, concluded, failed, result_value, said, text};
use crate::chat::AnswerReader as _;
use crate::chat::anthropic::AnthropicReader;
use crate::http::reader::Read;
use crate::template_parts::as_text;

#[derive(Debug, Default)]
pub(in crate::http) struct Messages {
    reader: AnthropicReader,
    /// Whether a message is open.
    pub(super) open: bool,
    /// Calls that the provider executes itself, by the number of their block: id, name, arguments.
    provided: BTreeMap<u64, (String, String, String)>,
    /// Results in the present message, which may come before its calls are complete.
    results: Vec<EventKind>,
}

impl Messages {
    pub(super) fn event(&mut self, event: &Value, out: &mut Vec<EventKind>) -> Read {
        let kind = text(event, "type");
        let number = event["index"].as_u64().unwrap_or_default();
        match kind {
            "message_start" => *self = Self { open: true, ..Self::default() },
            // Between messages an agent may tell of other things, which are no part of them.
            _ if !self.open && kind != "error" => return Ok(()),
            "content_block_start" => self.block(number, &event["content_block"]),
            "content_block_delta" => {
                if let Some((_, _, written)) = self.provided.get_mut(&number) {
                    written.push_str(text(&event["delta"], "partial_json"));
                }
            }
            _ if event.get("type").is_none() => return Ok(()),
            _ => {}
        }
        out.extend(said(self.reader.value(event).map_err(broken)?));
        if kind == "message_stop" {
            let Self { mut reader, provided, results, .. } = std::mem::take(self);
            concluded(reader.finish().map_err(broken)?, out);
            for (id, name, written) in provided.values() {
                out.push(by_provider(called(id, name, arguments(written))));
            }
            let is_provided = |step: &EventKind| matches!(step, EventKind::ToolResult(given) if provided.values().any(|(id, ..)| *id == given.call_id));
            out.extend(results.into_iter().map(|step| if is_provided(&step) { by_provider(step) } else { step }));
        }
        Ok(())
    }

    /// Takes a message that came whole.
    pub(super) fn whole(&mut self, message: &Value, out: &mut Vec<EventKind>) -> Read {
        self.event(&json!({ "type": "message_start", "message": message }), out)?;
        for (index, block) in message["content"].as_array().into_iter().flatten().enumerate() {
            self.event(&json!({ "type": "content_block_start", "index": index, "content_block": block }), out)?;
        }
        let reason = &message["stop_reason"];
        self.event(&json!({ "type": "message_delta", "delta": { "stop_reason": reason } }), out)?;
        self.event(&json!({ "type": "message_stop" }), out)
    }

    fn block(&mut self, number: u64, block: &Value) {
        match text(block, "type") {
            "server_tool_use" | "mcp_tool_use" => {
                let written = match &block["input"] {
                    Value::Object(input) if !input.is_empty() => block["input"].to_string(),
                    _ => String::new(),
                };
                self.provided.insert(number, (text(block, "id").into(), text(block, "name").into(), written));
            }
            kind if kind.ends_with("tool_result") => {
                let (id, content) = (text(block, "tool_use_id"), &block["content"]);
                let error = block["is_error"] == true || text(content, "type").ends_with("_error");
                let result = if error { failed(id, &as_text(content)) } else { answered(id, result_value(content)) };
                self.results.push(result);
            }
            _ => {}
        }
    }
}
