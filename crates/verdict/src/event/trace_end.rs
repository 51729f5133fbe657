//! What checks need of the trace of an attempt beyond the lines of its events, so that a stored run can be checked
//! again.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::absent::is_zero;

/// The end of the trace of an attempt.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct TraceEnd {
    /// One for each event of the trace, in order.
    pub events: Vec<TraceMark>,
    /// The number of events that had happened when the checks of each turn were evaluated.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub judged: Vec<usize>,
}

/// The kinds of events of a trace.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TraceKind {
    /// A turn started.
    #[default]
    TurnStart,
    /// The agent sent text.
    Text,
    /// The agent retracted its text of the turn.
    TextTakenBack,
    /// The agent sent reasoning.
    Reasoning,
    /// The agent's state changed.
    State,
    /// The agent violated its protocol.
    Violation,
    /// The agent called a tool.
    ToolCall,
    /// A tool answered.
    ToolResult,
    /// The agent called its model.
    ModelCall,
    /// The scripted model reported a problem.
    ModelTrouble,
    /// The agent reported its usage.
    Usage,
    /// The agent logged something.
    Log,
    /// The agent reported an error.
    TaskError,
    /// The agent sent data in addition to its answer.
    Beside,
    /// The reason why the model ended an answer.
    Finish,
    /// Nothing answered a request.
    Miss,
    /// The agent returned its result.
    FinalOutput,
    /// The turn ended.
    TurnEnd,
}

impl TraceKind {
    /// Whether an event of this kind has a line of its own.
    pub fn has_line(self) -> bool {
        match self {
            TraceKind::TextTakenBack | TraceKind::Beside | TraceKind::Finish | TraceKind::Miss | TraceKind::TurnEnd => {
                false
            }
            TraceKind::TurnStart
            | TraceKind::Text
            | TraceKind::Reasoning
            | TraceKind::State
            | TraceKind::Violation
            | TraceKind::ToolCall
            | TraceKind::ToolResult
            | TraceKind::ModelCall
            | TraceKind::ModelTrouble
            | TraceKind::Usage
            | TraceKind::Log
            | TraceKind::TaskError
            | TraceKind::FinalOutput => true,
        }
    }
}

/// An event of a trace: what its own line does not contain.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct TraceMark {
    /// The kind of event.
    pub kind: TraceKind,
    /// The number of the turn, from 0.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub turn: u32,
    /// Microseconds since the attempt started.
    pub us: u64,
    /// The same time when a tool call started, if its arguments were streamed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub begun_us: Option<u64>,
    /// The event itself, or a part of it, if it has no line of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<Arc<Value>>,
}
