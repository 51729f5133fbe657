//! `OpenAI`'s Responses: one, or one after the other where an agent works in several steps.

use std::collections::HashSet;

use agentci_trace::Kind;
use serde_json::{Value, json};

use super::{Steps, answered, arguments, by_provider, called, ended, failed, gave_up, result_value, text};
use crate::http::reader::NoAnswer;

#[derive(Debug, Default)]
pub(in crate::http) struct Responses {
    /// Whether a response began and did not end.
    open: bool,
    /// The items of the present response whose words came piece by piece.
    said: HashSet<u64>,
    /// The items of the present response that are complete.
    complete: HashSet<u64>,
    /// Whether it calls tools that the agent is to execute.
    calls: bool,
}

/// Whether a kind of event is one of Responses; others may have names that begin in the same way.
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
    pub(super) fn event(&mut self, event: &Value) -> Result<Steps, NoAnswer> {
        let index = event["output_index"].as_u64().unwrap_or_default();
        let response = &event["response"];
        Ok(match text(event, "type") {
            "response.created" => {
                *self = Self { open: true, ..Self::default() };
                Vec::new()
            }
            "response.output_text.delta" | "response.refusal.delta" => {
                self.said.insert(index);
                vec![Kind::Text(text(event, "delta").to_owned())]
            }
            "response.reasoning_text.delta" | "response.reasoning_summary_text.delta" => {
                vec![Kind::Reasoning(text(event, "delta").to_owned())]
            }
            "response.output_item.done" => self.item(index, &event["item"]),
            "response.completed" => {
                let mut steps = self.conclude(response);
                steps.extend(ended(if self.calls { "tool_calls" } else { "stop" }));
                steps
            }
            "response.incomplete" => {
                let mut steps = self.conclude(response);
                let reason = text(&response["incomplete_details"], "reason");
                let end = ended(reason);
                if !end.iter().any(|step| matches!(step, Kind::Violation(_))) {
                    steps.push(Kind::Violation(format!("the response is incomplete: {reason}")));
                }
                steps.extend(end);
                steps
            }
            "response.failed" | "response.cancelled" => return Err(gave_up(response)),
            "error" => return Err(gave_up(event)),
            // The same again in other words, and whatever may be new.
            _ => Vec::new(),
        })
    }

    /// Takes a response that came whole.
    pub(super) fn whole(&mut self, response: &Value) -> Result<Steps, NoAnswer> {
        let kind = match text(response, "status") {
            kind @ ("incomplete" | "failed" | "cancelled") => kind,
            _ => "completed",
        };
        self.event(&json!({ "type": format!("response.{kind}"), "response": response }))
    }

    pub(super) fn lacks(&self) -> Option<&'static str> {
        self.open.then_some("`response.completed` is missing")
    }

    /// The end of a response; it repeats all items, of which some servers told nothing before.
    fn conclude(&mut self, response: &Value) -> Steps {
        self.open = false;
        let items = response["output"].as_array().into_iter().flatten();
        (0..).zip(items).flat_map(|(index, item)| self.item(index, item)).collect()
    }

    fn item(&mut self, index: u64, item: &Value) -> Steps {
        if !self.complete.insert(index) {
            return Vec::new();
        }
        let kind = text(item, "type");
        self.calls |= matches!(kind, "function_call" | "custom_tool_call");
        let id = Some(text(item, "call_id")).filter(|id| !id.is_empty()).unwrap_or(text(item, "id"));
        match kind {
            "message" if self.said.contains(&index) => Vec::new(),
            "message" => {
                let parts = item["content"].as_array().into_iter().flatten();
                let words = parts.map(|part| format!("{}{}", text(part, "text"), text(part, "refusal")));
                vec![Kind::Text(words.collect())]
            }
            "function_call" => vec![called(id, text(item, "name"), arguments(text(item, "arguments")))],
            "custom_tool_call" => vec![called(id, text(item, "name"), item["input"].clone())],
            "function_call_output" | "custom_tool_call_output" => vec![answered(id, result_value(&item["output"]))],
            "mcp_call" => {
                let call = called(id, text(item, "name"), arguments(text(item, "arguments")));
                let error = item["error"].as_str().map_or_else(|| item["error"].to_string(), str::to_owned);
                let result = if item["error"].is_null() {
                    answered(id, result_value(&item["output"]))
                } else {
                    failed(id, &error)
                };
                vec![by_provider(call), by_provider(result)]
            }
            "web_search_call" | "file_search_call" | "code_interpreter_call" | "image_generation_call" => {
                provided(id, kind.trim_end_matches("_call"), item)
            }
            _ => Vec::new(),
        }
    }
}

/// A tool that the provider runs itself, with what it gave as far as the item tells.
fn provided(id: &str, name: &str, item: &Value) -> Steps {
    let args = match name {
        "web_search" => item["action"].clone(),
        "file_search" => json!({ "queries": item["queries"] }),
        "code_interpreter" => json!({ "code": item["code"] }),
        _ => json!({}),
    };
    let result = ["results", "outputs"].into_iter().find_map(|key| item.get(key)).cloned().unwrap_or_default();
    let result = if text(item, "status") == "failed" { failed(id, "the call failed") } else { answered(id, result) };
    vec![by_provider(called(id, name, args)), by_provider(result)]
}
