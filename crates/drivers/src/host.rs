//! Who answers the agent's tool calls.

use std::pin::Pin;

use agentci_trace::{ToolCall, ToolResult};

use crate::Stopped;

/// An answer to come; `Stopped` when the call ends the case, and then the host knows why.
pub type Answer<'h> = Pin<Box<dyn Future<Output = Result<ToolResult, Stopped>> + 'h>>;

/// Who answers the agent's tool calls.
pub trait ToolHost {
    /// The answer to one call.
    fn call<'h>(&'h self, call: &'h ToolCall) -> Answer<'h>;
}
