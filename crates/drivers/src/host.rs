//! Who answers the agent's tool calls.

use std::pin::Pin;

use agentci_trace::{ToolCall, ToolResult};

use crate::Stopped;

/// An answer to come; `Stopped` when the call ends the case, and then the host knows why.
pub type Answer<'h> = Pin<Box<dyn Future<Output = Result<Reply, Stopped>> + 'h>>;

/// An answer and how it reaches the agent.
#[derive(Debug, Clone, PartialEq)]
pub struct Reply {
    /// The answer.
    pub result: ToolResult,
    /// How it reaches the agent.
    pub delivery: Delivery,
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
    fn call<'h>(&'h self, call: &'h ToolCall) -> Answer<'h>;
}
