//! Who answers the agent's tool calls.

use std::pin::Pin;

use agentci_trace::{ToolCall, ToolResult};
use serde_json::Value;

use crate::Stopped;
use crate::template_parts::as_text;

/// An answer to come; `Stopped` when the call ends the case, and then the host knows why.
pub type PendingAnswer<'h> = Pin<Box<dyn Future<Output = Result<ToolReply, Stopped>> + 'h>>;

/// An answer and how it reaches the agent.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolReply {
    /// The answer.
    pub result: ToolResult,
    /// How it reaches the agent.
    pub delivery: Delivery,
}

/// What an agent gets in place of an answer that is spoilt on purpose.
pub(crate) const NO_ANSWER: &str = "<html>502 Bad Gateway</html>";

impl ToolReply {
    /// The first half of the answer, for one that breaks off where every answer is a text.
    pub(crate) fn half(&self) -> Value {
        let text = as_text(&self.result.result);
        let length = text.chars().count();
        Value::String(text.chars().take(length / 2).collect())
    }
}

/// How an answer reaches the agent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Delivery {
    /// As it should.
    #[default]
    Whole,
    /// As something that is not the protocol.
    Malformed,
    /// Broken off.
    Truncated,
    /// Not at all.
    Never,
}

/// Who answers the agent's tool calls.
pub trait ToolHost {
    /// The answer to one call.
    fn call<'h>(&'h self, call: &'h ToolCall) -> PendingAnswer<'h>;
}
