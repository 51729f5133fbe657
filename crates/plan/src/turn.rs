//! One exchange with the agent.

use std::sync::{Arc, LazyLock};

use serde_json::{Map, Value};

use crate::{Check, Data, Limits, Text};
use agentci_source::{Node, Span, Spanned};

/// The input of one turn, and its checks and limits.
#[derive(Debug, Clone, PartialEq)]
pub struct Turn {
    /// The input.
    pub said: TurnInput,
    /// Checks on this turn only.
    pub checks: Arc<[Arc<Check>]>,
    /// Limits of this turn only.
    pub limits: Arc<Limits>,
    /// Where the turn is defined.
    pub span: Span,
}

impl Turn {
    /// An empty list of checks, shared by the many turns that have none.
    pub fn no_checks() -> Arc<[Arc<Check>]> {
        static NONE: LazyLock<Arc<[Arc<Check>]>> = LazyLock::new(|| Arc::from([]));
        Arc::clone(&NONE)
    }
}

#[derive(Debug, Clone, PartialEq)]
pub enum TurnInput {
    /// A JSON object, for agents that take a task and not a conversation.
    Input(Data),
    /// Messages of a conversation.
    Messages(Vec<Message>),
    /// A protocol action such as `agui:connect` or `mcp:call`; the driver reads its arguments.
    Action(Box<Action>),
}

/// A message of a conversation.
#[derive(Debug, Clone, PartialEq)]
pub struct Message {
    /// The role of the author: `user`, `assistant`, `system`.
    pub role: String,
    /// The text.
    pub content: Text,
    /// Other keys of the message, sent unchanged: `name`, `tool_calls` and so on. A `content` among them, a list of
    /// parts, is sent instead of the text.
    pub more: Map<String, Value>,
}

impl Message {
    /// The keys of a message in addition to its role and content.
    pub const MORE: [&'static str; 5] = ["name", "tool_call_id", "tool_calls", "refusal", "reasoning_content"];

    /// A message that consists only of text.
    pub fn new(role: impl Into<String>, content: Text) -> Self {
        Self { role: role.into(), content, more: Map::new() }
    }
}

/// A protocol action.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Action {
    /// Its name, prefixed with the protocol.
    pub kind: Spanned<String>,
    pub arguments: Node,
}
