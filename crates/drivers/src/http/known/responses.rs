//! `OpenAI`'s Responses: one, or several in sequence if the agent works in steps.

use std::collections::HashSet;

use agentci_trace::EventKind;
use serde_json::{Value, json};

use super::{answered, arguments, by_provider, called, ended, failed, gave_up, result_value, text};
use crate::chat::cut_short;
use crate::http::reader::Read;
use crate::template_parts::as_text;

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
    pub(super) fn event(&mut self, event: &Value, out: &mut Vec<EventKind>) -> Read {
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
    pub(super) fn whole(&mut self, response: &Value, out: &mut Vec<EventKind>) -> Read {
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
        let kind = text(item, "type");
        self.calls |= matches!(kind, "function_call" | "custom_tool_call");
        let id = Some(text(item, "call_id")).filter(|id| !id.is_empty()).unwrap_or(text(item, "id"));
        let call = |args: Value| called(id, text(item, "name"), args);
        match kind {
            "message" if self.said.contains(&index) => {}
            "message" => {
                let parts = item["content"].as_array().into_iter().flatten();
                let words = parts.map(|part| format!("{}{}", text(part, "text"), text(part, "refusal")));
                out.push(EventKind::Text(words.collect()));
            }
            "function_call" => out.push(call(arguments(text(item, "arguments")))),
            "custom_tool_call" => out.push(call(item["input"].clone())),
            "function_call_output" | "custom_tool_call_output" => {
                out.push(answered(id, result_value(&item["output"])));
            }
            "mcp_call" => {
                let result = match &item["error"] {
                    Value::Null => answered(id, result_value(&item["output"])),
                    error => failed(id, &as_text(error)),
                };
                out.extend([call(arguments(text(item, "arguments"))), result].map(by_provider));
            }
            "web_search_call" | "file_search_call" | "code_interpreter_call" | "image_generation_call" => {
                out.extend(provided(id, kind.trim_end_matches("_call"), item).map(by_provider));
            }
            _ => {}
        }
    }
}

/// The call and the result of a tool that the provider executed, as far as the item contains them.
fn provided(id: &str, name: &str, item: &Value) -> [EventKind; 2] {
    let args = match name {
        "web_search" => item["action"].clone(),
        "file_search" => json!({ "queries": item["queries"] }),
        "code_interpreter" => json!({ "code": item["code"] }),
        _ => json!({}),
    };
    let result = ["results", "outputs"].into_iter().find_map(|key| item.get(key)).cloned().unwrap_or_default();
    let result = if text(item, "status") == "failed" { failed(id, "the call failed") } else { answered(id, result) };
    [called(id, name, args), result]
}
