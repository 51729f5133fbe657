//! UI messages of the AI SDK, version 5 and later: <https://ai-sdk.dev/docs/ai-sdk-ui/stream-protocol>.

use agentci_trace::EventKind;
use serde_json::Value;

use super::tool_parts::ToolParts;
use super::{answered, denied, ended, failed, gave_up, text};
use crate::http::kinds::OVER;
use crate::http::reader::{HttpAnswerError, ReadResult};

#[derive(Debug, Default)]
pub(in crate::http) struct UiMessages {
    tools: ToolParts,
    pub(super) done: bool,
}

impl UiMessages {
    /// Whether an event is unmistakably of this format.
    pub(super) fn has(event: &Value) -> bool {
        match text(event, "type") {
            "text-start" | "reasoning-start" => event["id"].is_string(),
            "text-delta" | "reasoning-delta" => event["id"].is_string() && event["delta"].is_string(),
            kind if kind.starts_with("tool-input-") || kind.starts_with("tool-output-") => {
                event["toolCallId"].is_string()
            }
            _ => false,
        }
    }

    /// Whether events of a type belong to the format, rather than being an application's data.
    pub(super) fn owns(kind: &str) -> bool {
        let starts = ["text-", "reasoning-", "tool-input-", "tool-output-", "tool-approval-"];
        let own = ["start", "start-step", "finish-step", "finish", "error", "abort", "file", "message-metadata"];
        own.contains(&kind) || starts.iter().any(|start| kind.starts_with(start))
    }

    pub(super) fn event(&mut self, event: &Value, out: &mut Vec<EventKind>) -> ReadResult {
        let (id, name) = (text(event, "toolCallId"), text(event, "toolName"));
        match text(event, "type") {
            "text-delta" => out.push(EventKind::Text(text(event, "delta").to_owned())),
            "reasoning-delta" => out.push(EventKind::Reasoning(text(event, "delta").to_owned())),
            "tool-input-start" => self.tools.begin(id, name),
            "tool-input-delta" => self.tools.write(id, text(event, "inputTextDelta")),
            "tool-input-available" => self.tools.input(id, name, event["input"].clone()),
            "tool-input-error" => {
                self.tools.input(id, name, event["input"].clone());
                self.tools.result(id, failed(id, text(event, "errorText")), out);
            }
            // A preliminary result is followed by another.
            "tool-output-available" if event["preliminary"] == true => {}
            "tool-output-available" => self.tools.result(id, answered(id, event["output"].clone()), out),
            "tool-output-error" => self.tools.result(id, failed(id, text(event, "errorText")), out),
            "tool-output-denied" => self.tools.result(id, denied(id, "the execution was denied"), out),
            "finish-step" => self.tools.flush(out),
            "finish" => {
                self.done = true;
                let reason = text(event, "finishReason");
                if reason == "error" {
                    return Err(HttpAnswerError::Failed("the model failed (finish reason `error`)".into()));
                }
                self.tools.flush(out);
                ended(reason, out);
            }
            "error" => return Err(gave_up(event)),
            "abort" => {
                let reason = Some(text(event, "reason")).filter(|reason| !reason.trim().is_empty());
                let reason = reason.map(|reason| format!(": {reason}")).unwrap_or_default();
                return Err(HttpAnswerError::Failed(format!("the answer was aborted{reason}")));
            }
            // The end of a stream by a custom server.
            kind if OVER.contains(&kind) => {
                self.done = true;
                self.tools.flush(out);
            }
            // Sources, files, metadata and an application's own data.
            _ => {}
        }
        Ok(())
    }

    pub(super) fn end(&mut self, out: &mut Vec<EventKind>) -> Option<&'static str> {
        self.tools.flush(out);
        (!self.done).then_some("it has neither `finish` nor `[DONE]`")
    }
}
