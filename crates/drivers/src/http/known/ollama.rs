//! Ollama's `/api/chat` and `/api/generate`: JSON lines, or one object.
//!
//! <https://docs.ollama.com/api>

use agentci_trace::EventKind;
use serde_json::Value;

use super::{arguments, called, ended, text};

#[derive(Debug, Default)]
pub(in crate::http) struct Ollama {
    /// The number of tool calls so far.
    calls: usize,
    pub(super) done: bool,
}

impl Ollama {
    /// Whether a value is unmistakably of this format.
    pub(super) fn has(value: &Value) -> bool {
        let speaks = value["message"]["role"].is_string() || value["response"].is_string();
        value["model"].is_string() && value["done"].is_boolean() && speaks
    }

    pub(super) fn event(&mut self, event: &Value, out: &mut Vec<EventKind>) {
        let message = &event["message"];
        for thought in [text(message, "thinking"), text(event, "thinking")] {
            out.extend((!thought.is_empty()).then(|| EventKind::Reasoning(thought.to_owned())));
        }
        for said in [text(message, "content"), text(event, "response")] {
            out.extend((!said.is_empty()).then(|| EventKind::Text(said.to_owned())));
        }
        for call in message["tool_calls"].as_array().into_iter().flatten() {
            self.calls += 1;
            let id = match text(call, "id") {
                "" => format!("call_{}", self.calls),
                id => id.to_owned(),
            };
            let function = &call["function"];
            let args = function["arguments"].as_str().map_or_else(|| function["arguments"].clone(), arguments);
            out.push(called(&id, text(function, "name"), args));
        }
        if event["done"] == true {
            self.done = true;
            ended(text(event, "done_reason"), out);
        }
    }
}
