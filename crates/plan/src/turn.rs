//! One exchange with the agent.

use std::sync::Arc;

use crate::{Check, Data, Limits, Node, Span, Spanned, Text};

/// What is said or done in one turn, and what is asked of the answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Turn {
    /// What goes in.
    pub said: Said,
    /// Checks over this turn alone.
    pub checks: Arc<[Arc<Check>]>,
    /// Limits on this turn alone.
    pub limits: Limits,
    /// Where the turn stands.
    pub span: Span,
}

/// What goes into a turn.
#[derive(Debug, Clone, PartialEq)]
pub enum Said {
    /// A JSON object, for agents that take a task rather than a conversation.
    Input(Data),
    /// Messages of a conversation.
    Messages(Vec<Message>),
    /// A protocol action such as `agui:connect` or `mcp:call`; its arguments are the driver's to read.
    Action(Action),
}

/// A message of a conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// Who speaks: `user`, `assistant`, `system`.
    pub role: String,
    /// What is said.
    pub content: Text,
}

/// A protocol action.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Action {
    /// Its name, protocol first.
    pub kind: Spanned<String>,
    /// Its arguments.
    pub arguments: Node,
}
