//! One exchange with the agent.

use std::sync::{Arc, LazyLock};

use serde_json::{Map, Value};

use crate::{Check, Data, Limits, Text};
use agentci_source::{Node, Span, Spanned};

/// What is said or done in one turn, and what is asked of the answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Turn {
    /// What goes in.
    pub said: TurnInput,
    /// Checks over this turn alone.
    pub checks: Arc<[Arc<Check>]>,
    /// Limits on this turn alone.
    pub limits: Arc<Limits>,
    /// Where the turn stands.
    pub span: Span,
}

impl Turn {
    /// No checks over a turn alone, which most turns have: one list for all of them.
    pub fn no_checks() -> Arc<[Arc<Check>]> {
        static NONE: LazyLock<Arc<[Arc<Check>]>> = LazyLock::new(|| Arc::from([]));
        Arc::clone(&NONE)
    }
}

/// What goes into a turn.
#[derive(Debug, Clone, PartialEq)]
pub enum TurnInput {
    /// A JSON object, for agents that take a task rather than a conversation.
    Input(Data),
    /// Messages of a conversation.
    Messages(Vec<Message>),
    /// A protocol action such as `agui:connect` or `mcp:call`; its arguments are the driver's to read.
    Action(Box<Action>),
}

/// A message of a conversation.
#[derive(Debug, Clone, PartialEq)]
pub struct Message {
    /// Who speaks: `user`, `assistant`, `system`.
    pub role: String,
    /// What is said.
    pub content: Text,
    /// What else the message holds, sent along as it is: `name`, `tool_calls` and the like. A `content` among it, a list of parts,
    /// is sent in place of the text.
    pub more: Map<String, Value>,
}

impl Message {
    /// What a message may hold beside its role and its words.
    pub const MORE: [&'static str; 5] = ["name", "tool_call_id", "tool_calls", "refusal", "reasoning_content"];

    /// A message that is nothing but words.
    pub fn new(role: impl Into<String>, content: Text) -> Self {
        Self { role: role.into(), content, more: Map::new() }
    }
}

/// A protocol action.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Action {
    /// Its name, protocol first.
    pub kind: Spanned<String>,
    /// Its arguments.
    pub arguments: Node,
}
