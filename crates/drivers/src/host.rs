//! The interface to the host that answers the agent's tool calls.

use std::pin::Pin;

use agentci_trace::{ToolCall, ToolResult};
use serde_json::Value;

use crate::StoppedError;
use crate::template_parts::as_text;

/// A pending answer; `StoppedError` if the call ends the case, for a reason that the host reports.
pub type PendingAnswer<'h> = Pin<Box<dyn Future<Output = Result<ToolReply, StoppedError>> + 'h>>;

/// A tool result and how it is delivered.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolReply {
    pub result: ToolResult,
    /// How it is delivered to the agent.
    pub delivery: Delivery,
}

/// What an agent receives in place of a result that is malformed on purpose.
pub(crate) const NO_ANSWER: &str = "<html>502 Bad Gateway</html>";

impl ToolReply {
    /// The first half of the result as text, for truncated delivery in protocols whose results are strings.
    pub(crate) fn half(&self) -> Value {
        let text = as_text(&self.result.result);
        let length = text.chars().count();
        Value::String(text.chars().take(length / 2).collect())
    }
}

/// How a tool result is delivered.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Delivery {
    /// Unchanged.
    #[default]
    Whole,
    /// As something that violates the protocol.
    Malformed,
    Truncated,
    /// Not at all.
    Never,
}

/// Answers the agent's tool calls.
pub trait ToolHost {
    fn call<'h>(&'h self, call: &'h ToolCall) -> PendingAnswer<'h>;
}
