//! UI messages of the AI SDK, version 5 and later: <https://ai-sdk.dev/docs/ai-sdk-ui/stream-protocol>.

use agentci_trace::Kind;
use serde_json::Value;

use super::tool_parts::ToolParts;
use super::{Steps, answered, denied, ended, failed, gave_up, text};
use crate::http::kinds::OVER;
use crate::http::reader::NoAnswer;

#[derive(Debug, Default)]
pub(in crate::http) struct UiMessages {
    tools: ToolParts,
    done: bool,
}

impl UiMessages {
    /// Whether an event can only be one of this format.
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

    /// Whether events of a kind are the format's own, and not an application's data.
    pub(super) fn owns(kind: &str) -> bool {
        let starts = ["text-", "reasoning-", "tool-input-", "tool-output-", "tool-approval-"];
        let own = ["start", "start-step", "finish-step", "finish", "error", "abort", "file", "message-metadata"];
        own.contains(&kind) || starts.iter().any(|start| kind.starts_with(start))
    }

    pub(super) fn event(&mut self, event: &Value) -> Result<Steps, NoAnswer> {
        let (id, name) = (text(event, "toolCallId"), text(event, "toolName"));
        Ok(match text(event, "type") {
            "text-delta" => vec![Kind::Text(text(event, "delta").to_owned())],
            "reasoning-delta" => vec![Kind::Reasoning(text(event, "delta").to_owned())],
            "tool-input-start" => {
                self.tools.begin(id, name);
                Vec::new()
            }
            "tool-input-delta" => {
                self.tools.write(id, text(event, "inputTextDelta"));
                Vec::new()
            }
            "tool-input-available" => {
                self.tools.input(id, name, event["input"].clone());
                Vec::new()
            }
            "tool-input-error" => {
                self.tools.input(id, name, event["input"].clone());
                self.tools.result(id, failed(id, text(event, "errorText")))
            }
            // A preliminary result is followed by another.
            "tool-output-available" if event["preliminary"] == true => Vec::new(),
            "tool-output-available" => self.tools.result(id, answered(id, event["output"].clone())),
            "tool-output-error" => self.tools.result(id, failed(id, text(event, "errorText"))),
            "tool-output-denied" => self.tools.result(id, denied(id, "the execution was denied")),
            "finish-step" => self.tools.flush(),
            "finish" => return self.finish(event),
            "error" => return Err(gave_up(event)),
            "abort" => {
                let reason = Some(text(event, "reason")).filter(|reason| !reason.trim().is_empty());
                let reason = reason.map(|reason| format!(": {reason}")).unwrap_or_default();
                return Err(NoAnswer::Failed(format!("the answer was aborted{reason}")));
            }
            // The end of a stream that is written by hand.
            kind if OVER.contains(&kind) => {
                self.done = true;
                self.tools.flush()
            }
            // Sources, files, metadata and an application's own data.
            _ => Vec::new(),
        })
    }

    pub(super) fn done(&mut self) {
        self.done = true;
    }

    pub(super) fn end(&mut self) -> (Steps, Option<&'static str>) {
        let lacks = (!self.done).then_some("it has neither `finish` nor `[DONE]`");
        (self.tools.flush(), lacks)
    }

    fn finish(&mut self, event: &Value) -> Result<Steps, NoAnswer> {
        self.done = true;
        let reason = text(event, "finishReason");
        if reason == "error" {
            return Err(NoAnswer::Failed("the model failed (finish reason `error`)".into()));
        }
        let mut steps = self.tools.flush();
        steps.extend(ended(reason));
        Ok(steps)
    }
}
