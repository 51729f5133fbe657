//! What the agent did in an attempt.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What the agent was given to do.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct TaskStart {
    /// The case.
    pub task_id: Arc<str>,
    /// Its input.
    pub input: Arc<Value>,
}

/// A turn after the first.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct TurnStart {
    /// Which, from 0.
    pub turn: u32,
    /// What was said.
    pub input: Arc<Value>,
}

/// Words of the agent.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct TextSaid {
    /// In which turn.
    pub turn: u32,
    /// The words.
    pub text: String,
}

/// A tool call.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ToolCallMade {
    /// In which turn.
    pub turn: u32,
    /// The tool.
    pub name: String,
    /// Which call.
    pub call_id: String,
    /// Its arguments.
    pub args: Arc<Value>,
    /// Who saw it, where that is not the protocol that the agent speaks: `stub`, `provider`, or `model_wire` for a call that a
    /// model asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observer: Option<String>,
}

/// An answer to a tool call.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ToolResultGiven {
    /// In which turn.
    pub turn: u32,
    /// Which call.
    pub call_id: String,
    /// Whether the tool did its work.
    pub ok: bool,
    /// What it gave.
    pub result: Arc<Value>,
    /// What it complained of.
    pub error: Option<String>,
    /// What went wrong with it on purpose: the agent may not have got it as it stands here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<String>,
    /// Who saw it, where that is not the protocol that the agent speaks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observer: Option<String>,
    /// The form of a refusal that it was recognised by: the tool was not run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refused: Option<String>,
    /// The form of a failure that it was recognised by.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recognised: Option<String>,
}

/// A call of the agent's model.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ModelCallMade {
    /// In which turn.
    pub turn: u32,
    /// What was asked.
    pub request: Arc<Value>,
    /// What was answered.
    pub response: Arc<Value>,
}

/// A log line through the protocol.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct LogLine {
    /// How grave.
    pub level: String,
    /// The words.
    pub message: String,
    /// Anything beside them.
    pub data: Option<Arc<Value>>,
}

/// The agent's own word that it failed.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct TaskError {
    /// The words.
    pub message: String,
    /// Anything beside them.
    pub data: Option<Arc<Value>>,
}

/// The agent's result.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct FinalOutput {
    /// The result.
    pub output: Arc<Value>,
}
