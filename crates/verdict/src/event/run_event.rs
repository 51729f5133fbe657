//! A run event with the envelope of its line.

use std::sync::Arc;

use agentci_trace::Usage;
use serde::{Serialize, Serializer};

use crate::{
    CaseEnd, CheckEnd, EventError, FinalOutput, GateReport, LogLine, ModelCallMade, RunEnd, RunStart, Stability,
    TaskError, TaskStart, TextSaid, ToolCallMade, ToolResultGiven, TraceEnd, TurnStart,
};

/// An event of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct RunEvent {
    /// The name of the suite.
    pub suite: Arc<str>,
    /// The id of the case; absent for events of the run as a whole.
    pub case_id: Option<Arc<str>>,
    /// The number of the attempt, from 1.
    pub attempt: Option<u32>,
    /// The time in Unix milliseconds.
    pub timestamp: u64,
    /// What happened.
    pub body: Body,
}

macro_rules! bodies {
    ($($(#[$doc:meta])* $variant:ident($type:ty) = $name:literal,)*) => {
        /// What happened.
        #[derive(Debug, Clone, PartialEq)]
        pub enum Body {
            $($(#[$doc])* $variant($type),)*
        }

        impl Body {
            /// The name of the event type.
            pub fn name(&self) -> &'static str {
                match self { $(Body::$variant(_) => $name,)* }
            }

            pub(crate) fn from_json(name: &str, line: &str) -> Result<Self, EventError> {
                match name {
                    $($name => Ok(Body::$variant(serde_json::from_str(line)?)),)*
                    other => Err(EventError::UnknownType(other.to_owned())),
                }
            }
        }

        /// Serializes without the type, which is a separate field of the line.
        impl Serialize for Body {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                match self { $(Body::$variant(body) => body.serialize(serializer),)* }
            }
        }
    };
}

bodies! {
    /// The run starts.
    RunStart(Box<RunStart>) = "run_start",
    /// An attempt at a case starts.
    TaskStart(TaskStart) = "task_start",
    /// A turn starts.
    TurnStart(TurnStart) = "turn_start",
    /// The agent sent text.
    Text(TextSaid) = "text",
    /// The agent called a tool.
    ToolCall(ToolCallMade) = "tool_call",
    /// The tool answered.
    ToolResult(ToolResultGiven) = "tool_result",
    /// The agent called its model.
    ModelCall(ModelCallMade) = "model_call",
    /// The agent reported its usage.
    Usage(Usage) = "usage",
    /// The agent logged something.
    Log(LogLine) = "log",
    /// The agent reported an error.
    TaskError(TaskError) = "task_error",
    /// The agent returned its result.
    FinalOutput(FinalOutput) = "final_output",
    /// The trace of an attempt ended.
    TraceEnd(TraceEnd) = "trace_end",
    /// A check was evaluated.
    Check(CheckEnd) = "check",
    /// An attempt at a case ended.
    CaseEnd(Arc<CaseEnd>) = "case_end",
    /// All runs of a case that is run more than once ended.
    Stability(Stability) = "stability",
    /// The gates of the run were evaluated.
    Gates(Box<GateReport>) = "gates",
    /// The run ended.
    RunEnd(RunEnd) = "run_end",
}
