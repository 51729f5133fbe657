//! The result of an action: everything that enters the trace, as it is stored in a recording.

use agentci_mcp::{AnsweredQuestion, Notification, ServerMessages};
use agentci_trace::{EventKind, Moment};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::failure::McpFailure;
use agentci_exchange::Clock;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct ActionResult {
    pub(super) outcome: McpOutcome,
    /// Notifications and questions of the server, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) logs: Vec<ServerLogEntry>,
    /// The protocol violations of the server.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) defects: Vec<String>,
}

impl ActionResult {
    /// A failure without logs.
    pub(super) fn failed(failure: McpFailure) -> Self {
        Self { outcome: McpOutcome::Failure(failure), logs: Vec::new(), defects: Vec::new() }
    }
}

/// A result in the protocol's format, or a failure.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum McpOutcome {
    Result(Value),
    Failure(McpFailure),
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct ServerLogEntry {
    /// In microseconds since the start of the attempt.
    pub(super) at_us: u64,
    level: String,
    message: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    data: Option<Value>,
}

impl ServerLogEntry {
    /// The entry for a notification.
    pub(super) fn notification(told: Notification, clock: Clock) -> Self {
        let Notification { method, params, at } = told;
        let text = |name: &str| params[name].as_str().map(str::to_owned);
        let (level, message) = match method.as_str() {
            "notifications/message" => {
                let words = text("data").unwrap_or_else(|| params["data"].to_string());
                (text("level").unwrap_or_else(|| "info".into()), words)
            }
            "notifications/progress" => {
                let mut words = format!("progress: {}", params["progress"]);
                if params["total"].is_number() {
                    words = format!("{words} of {}", params["total"]);
                }
                ("info".into(), text("message").map_or(words.clone(), |more| format!("{words}, {more}")))
            }
            _ => ("debug".into(), method),
        };
        Self { at_us: clock.at(at).offset_us, level, message, data: Some(params) }
    }

    fn asked(AnsweredQuestion { question, answer }: &AnsweredQuestion, at: Moment) -> Self {
        let message = format!("the server asked `{}`", question.message);
        let data = json!({ "schema": question.schema, "url": question.url, "answer": answer });
        Self { at_us: at.offset_us, level: "info".into(), message, data: Some(data) }
    }

    fn refused(method: &str, at: Moment) -> Self {
        let message = format!("the server requested `{method}`, which was refused");
        Self { at_us: at.offset_us, level: "warn".into(), message, data: None }
    }

    pub(super) fn event(self) -> EventKind {
        EventKind::Log { level: self.level, message: self.message, data: self.data.map(Into::into) }
    }
}

/// All log entries of a result; an entry without a time gets that of the result.
pub(super) fn log_entries(received: ServerMessages, clock: Clock, at: Moment) -> Vec<ServerLogEntry> {
    let notifications = received.notifications.into_iter().map(|told| ServerLogEntry::notification(told, clock));
    let asked = received.asked.iter().map(|asked| ServerLogEntry::asked(asked, at));
    let refused = received.refused.iter().map(|method| ServerLogEntry::refused(method, at));
    notifications.chain(asked).chain(refused).collect()
}
