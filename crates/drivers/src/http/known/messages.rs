//! Anthropic's Messages: one, or one after the other where an agent works in several steps.

use std::collections::BTreeMap;

use agentci_trace::Kind;
use serde_json::{Value, json};

use super::{Steps, answered, arguments, broken, by_provider, called, concluded, failed, result_value, said, text};
use crate::chat::anthropic::Reader;
use crate::http::reader::NoAnswer;

#[derive(Debug, Default)]
pub(in crate::http) struct Messages {
    reader: Reader,
    /// Whether a message is open.
    open: bool,
    /// Calls that the provider executes itself, by the number of their block: id, name, arguments.
    provided: BTreeMap<u64, (String, String, String)>,
    /// Results in the present message, which may come before its calls are complete.
    results: Vec<Kind>,
}

impl Messages {
    pub(super) fn event(&mut self, event: &Value) -> Result<Steps, NoAnswer> {
        let kind = text(event, "type");
        let number = event["index"].as_u64().unwrap_or_default();
        match kind {
            "message_start" => {
                *self = Self { open: true, ..Self::default() };
            }
            // Between messages an agent may tell of other things, which are no part of them.
            _ if !self.open && kind != "error" => return Ok(Vec::new()),
            "content_block_start" => self.block(number, &event["content_block"]),
            "content_block_delta" => {
                if let Some((_, _, written)) = self.provided.get_mut(&number) {
                    written.push_str(text(&event["delta"], "partial_json"));
                }
            }
            _ if event.get("type").is_none() => return Ok(Vec::new()),
            _ => {}
        }
        let mut steps = said(self.reader.value(event).map_err(broken)?);
        if kind == "message_stop" {
            let reader = std::mem::take(&mut self.reader);
            steps.extend(concluded(reader.finish().map_err(broken)?));
            let provided = std::mem::take(&mut self.provided);
            let is_provided = |step: &Kind| matches!(step, Kind::ToolResult(given) if provided.values().any(|(id, ..)| *id == given.call_id));
            let results: Steps = std::mem::take(&mut self.results);
            let results: Steps =
                results.into_iter().map(|step| if is_provided(&step) { by_provider(step) } else { step }).collect();
            let call =
                |(id, name, written): (String, String, String)| by_provider(called(&id, &name, arguments(&written)));
            steps.extend(provided.into_values().map(call));
            steps.extend(results);
            self.open = false;
        }
        Ok(steps)
    }

    /// Takes a message that came whole.
    pub(super) fn whole(&mut self, message: &Value) -> Result<Steps, NoAnswer> {
        let mut steps = self.event(&json!({ "type": "message_start", "message": message }))?;
        for (index, block) in message["content"].as_array().into_iter().flatten().enumerate() {
            let event = json!({ "type": "content_block_start", "index": index, "content_block": block });
            steps.extend(self.event(&event)?);
        }
        let reason = &message["stop_reason"];
        steps.extend(self.event(&json!({ "type": "message_delta", "delta": { "stop_reason": reason } }))?);
        steps.extend(self.event(&json!({ "type": "message_stop" }))?);
        Ok(steps)
    }

    pub(super) fn lacks(&self) -> Option<&'static str> {
        self.open.then_some("`message_stop` is missing")
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
                self.results.push(if error {
                    failed(id, &content.as_str().map_or_else(|| content.to_string(), str::to_owned))
                } else {
                    answered(id, result_value(content))
                });
            }
            _ => {}
        }
    }
}
