//! Ollama's `/api/chat` and `/api/generate`: JSON lines, or one object.
//!
//! <https://docs.ollama.com/api>

use agentci_trace::Kind;
use serde_json::Value;

use super::{Steps, arguments, called, ended, text};

#[derive(Debug, Default)]
pub(in crate::http) struct Ollama {
    /// How many calls were told.
    calls: usize,
    done: bool,
}

impl Ollama {
    /// Whether a value can only be one of this format.
    pub(super) fn has(value: &Value) -> bool {
        let speaks = value["message"]["role"].is_string() || value["response"].is_string();
        value["model"].is_string() && value["done"].is_boolean() && speaks
    }

    pub(super) fn event(&mut self, event: &Value) -> Steps {
        let message = &event["message"];
        let mut steps = Vec::new();
        for thought in [text(message, "thinking"), text(event, "thinking")] {
            steps.extend((!thought.is_empty()).then(|| Kind::Reasoning(thought.to_owned())));
        }
        for said in [text(message, "content"), text(event, "response")] {
            steps.extend((!said.is_empty()).then(|| Kind::Text(said.to_owned())));
        }
        for call in message["tool_calls"].as_array().into_iter().flatten() {
            self.calls += 1;
            let id = match text(call, "id") {
                "" => format!("call_{}", self.calls),
                id => id.to_owned(),
            };
            let function = &call["function"];
            let args = function["arguments"].as_str().map_or_else(|| function["arguments"].clone(), arguments);
            steps.push(called(&id, text(function, "name"), args));
        }
        if event["done"] == true {
            self.done = true;
            steps.extend(ended(text(event, "done_reason")));
        }
        steps
    }

    pub(super) fn done(&mut self) {
        self.done = true;
    }

    pub(super) fn lacks(&self) -> Option<&'static str> {
        (!self.done).then_some("it has no `done: true`")
    }
}
