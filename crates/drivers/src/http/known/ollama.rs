//! Ollama's `/api/chat` and `/api/generate`: JSON lines, or one object.
//!
//! <https://docs.ollama.com/api>

use agentci_protocols::chat::{ModelAnswer, WireApi, read_whole};
use agentci_trace::EventKind;
use serde_json::Value;

use super::ended;

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
        let ModelAnswer { text, reasoning, calls, finish, .. } = read_whole(WireApi::Ollama, event.clone());
        out.extend((!reasoning.is_empty()).then_some(EventKind::Reasoning(reasoning)));
        out.extend((!text.is_empty()).then_some(EventKind::Text(text)));
        for mut call in calls {
            self.calls += 1;
            if call.id.is_empty() {
                call.id = format!("call_{}", self.calls);
            }
            out.push(EventKind::ToolCall(call.traced()));
        }
        if event["done"] == true {
            self.done = true;
            ended(&finish.unwrap_or_default(), out);
        }
    }
}
