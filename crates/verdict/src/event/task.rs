//! Events of the agent in an attempt.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The start of an attempt.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct TaskStart {
    /// The id of the case.
    pub task_id: Arc<str>,
    /// The input of the case.
    pub input: Arc<Value>,
    /// A fingerprint of the definition of the case and the files it names, computed without secrets. Only the same build of
    /// `agentci` computes it in the same way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub definition: Option<Arc<str>>,
}

/// A turn after the first.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct TurnStart {
    /// The number of the turn, from 0.
    pub turn: u32,
    /// The input of the turn.
    pub input: Arc<Value>,
}

/// Text that the agent sent.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct TextSaid {
    /// The number of the turn, from 0.
    pub turn: u32,
    /// The text.
    pub text: String,
}

/// A tool call.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ToolCallMade {
    /// The number of the turn, from 0.
    pub turn: u32,
    /// The name of the tool.
    pub name: String,
    /// The id of the call.
    pub call_id: String,
    /// The arguments.
    pub args: Arc<Value>,
    /// The observer, unless it is the agent's protocol: `stub`, `provider`, or `model_wire` for a call that a model
    /// requested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observer: Option<String>,
}

/// The result of a tool call.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ToolResultGiven {
    /// The number of the turn, from 0.
    pub turn: u32,
    /// The id of the call.
    pub call_id: String,
    /// Whether the tool succeeded.
    pub ok: bool,
    /// The result.
    pub result: Arc<Value>,
    /// The error message.
    pub error: Option<String>,
    /// The injected fault: the agent may not have received the result as shown here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<String>,
    /// The observer, unless it is the agent's protocol.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observer: Option<String>,
    /// The form by which it was recognised as a refusal: the tool was not run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refused: Option<String>,
    /// The form by which it was recognised as a failure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recognised: Option<String>,
}

/// A model call of the agent.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ModelCallMade {
    /// The number of the turn, from 0.
    pub turn: u32,
    /// The request.
    pub request: Arc<Value>,
    /// The response.
    pub response: Arc<Value>,
}

/// A log message.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct LogLine {
    /// The log level.
    pub level: String,
    /// The message.
    pub message: String,
    /// Additional data.
    pub data: Option<Arc<Value>>,
}

/// An error that the agent reported.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct TaskError {
    /// The message.
    pub message: String,
    /// Additional data.
    pub data: Option<Arc<Value>>,
}

/// The agent's result.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct FinalOutput {
    /// The result.
    pub output: Arc<Value>,
}
