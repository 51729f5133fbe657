//! `OpenAI`'s Responses: one, or several in sequence if the agent works in steps.

use std::collections::HashSet;

use agentci_protocols::chat::{WireApi, read_whole};
use agentci_trace::EventKind;
use serde_json::{Value, json};

use super::{answered, ended, gave_up, parsed, result_value, text};
use crate::chat::{cut_short, provided};
use crate::http::reader::ReadResult;

#[derive(Debug, Default)]
pub(in crate::http) struct Responses {
    /// Whether a response is open.
    pub(super) open: bool,
    /// The items of the current response whose text was streamed.
    said: HashSet<u64>,
    /// The items of the current response that are complete.
    complete: HashSet<u64>,
    /// Whether it requests tools that the agent has to execute.
    calls: bool,
}

/// Whether an event type belongs to Responses; custom types may have the same prefix.
pub(super) fn is_kind(kind: &str) -> bool {
    const WHOLE: [&str; 7] = ["created", "queued", "in_progress", "completed", "incomplete", "failed", "cancelled"];
    const PARTS: [&str; 14] = [
        "output_item.",
        "output_text.",
        "content_part.",
        "refusal.",
        "reasoning",
        "function_call_arguments.",
        "custom_tool_call_input.",
        "file_search_call.",
        "web_search_call.",
        "code_interpreter_call",
        "image_generation_call.",
        "computer_call",
        "mcp_",
        "audio",
    ];
    let Some(name) = kind.strip_prefix("response.") else { return false };
    WHOLE.contains(&name) || PARTS.iter().any(|part| name.starts_with(part))
}

impl Responses {
    pub(super) fn event(&mut self, event: &Value, out: &mut Vec<EventKind>) -> ReadResult {
        let index = event["output_index"].as_u64().unwrap_or_default();
        let response = &event["response"];
        match text(event, "type") {
            "response.created" => *self = Self { open: true, ..Self::default() },
            "response.output_text.delta" | "response.refusal.delta" => {
                self.said.insert(index);
                out.push(EventKind::Text(text(event, "delta").to_owned()));
            }
            "response.reasoning_text.delta" | "response.reasoning_summary_text.delta" => {
                out.push(EventKind::Reasoning(text(event, "delta").to_owned()));
            }
            "response.output_item.done" => self.item(index, &event["item"], out),
            "response.completed" => {
                self.conclude(response, out);
                ended(if self.calls { "tool_calls" } else { "stop" }, out);
            }
            "response.incomplete" => {
                self.conclude(response, out);
                let reason = text(&response["incomplete_details"], "reason");
                if cut_short(reason).is_none() {
                    out.push(EventKind::Violation(format!("the response is incomplete: {reason}")));
                }
                ended(reason, out);
            }
            "response.failed" | "response.cancelled" => return Err(gave_up(response)),
            "error" => return Err(gave_up(event)),
            // Redundant and unknown events.
            _ => {}
        }
        Ok(())
    }

    /// Handles a response that is not streamed.
    pub(super) fn whole(&mut self, response: &Value, out: &mut Vec<EventKind>) -> ReadResult {
        let kind = match text(response, "status") {
            kind @ ("incomplete" | "failed" | "cancelled") => kind,
            _ => "completed",
        };
        self.event(&json!({ "type": format!("response.{kind}"), "response": response }), out)
    }

    /// Ends a response; it repeats all items, some of which may not have been streamed.
    fn conclude(&mut self, response: &Value, out: &mut Vec<EventKind>) {
        self.open = false;
        for (index, item) in (0..).zip(response["output"].as_array().into_iter().flatten()) {
            self.item(index, item, out);
        }
    }

    fn item(&mut self, index: u64, item: &Value, out: &mut Vec<EventKind>) {
        if !self.complete.insert(index) {
            return;
        }
        if text(item, "type").ends_with("_call_output") {
            let id = Some(text(item, "call_id")).filter(|id| !id.is_empty()).unwrap_or(text(item, "id"));
            out.push(answered(id, result_value(&item["output"])));
        }
        let answer = read_whole(WireApi::Responses, json!({ "output": [item] }));
        if !answer.text.is_empty() && !self.said.contains(&index) {
            out.push(EventKind::Text(answer.text));
        }
        self.calls |= !answer.calls.is_empty();
        out.extend(answer.calls.iter().map(|call| EventKind::ToolCall(call.traced())));
        out.extend(answer.provider_tools.into_iter().flat_map(provided).map(parsed));
    }
}
