//! Something that happened, with the envelope of its line.

use std::sync::Arc;

use agentci_trace::Usage;
use serde::{Serialize, Serializer};

use crate::{
    CaseEnd, CheckEnd, EventError, FinalOutput, GateReport, LogLine, ModelCallMade, RunEnd, RunStart, Stability,
    TaskError, TaskStart, TextSaid, ToolCallMade, ToolResultGiven, TurnStart,
};

/// Something that happened in a run.
#[derive(Debug, Clone, PartialEq)]
pub struct RunEvent {
    /// The suite it belongs to.
    pub suite: Arc<str>,
    /// The case, unless it is the run's own.
    pub case_id: Option<Arc<str>>,
    /// Which run of the case, from 1.
    pub attempt: Option<u32>,
    /// Unix milliseconds.
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
            /// The word for the type of event.
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

        /// Without its type, which is a field of the line.
        impl Serialize for Body {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                match self { $(Body::$variant(body) => body.serialize(serializer),)* }
            }
        }
    };
}

bodies! {
    /// The run begins.
    RunStart(Box<RunStart>) = "run_start",
    /// An attempt at a case begins.
    TaskStart(TaskStart) = "task_start",
    /// A turn begins.
    TurnStart(TurnStart) = "turn_start",
    /// The agent said something.
    Text(TextSaid) = "text",
    /// The agent called a tool.
    ToolCall(ToolCallMade) = "tool_call",
    /// The tool answered.
    ToolResult(ToolResultGiven) = "tool_result",
    /// The agent called its model.
    ModelCall(ModelCallMade) = "model_call",
    /// The agent said what it used up.
    Usage(Usage) = "usage",
    /// The agent logged something.
    Log(LogLine) = "log",
    /// The agent gave up.
    TaskError(TaskError) = "task_error",
    /// The agent's result.
    FinalOutput(FinalOutput) = "final_output",
    /// A check was evaluated.
    Check(CheckEnd) = "check",
    /// An attempt at a case is over.
    CaseEnd(Arc<CaseEnd>) = "case_end",
    /// All runs of a case that is run more than once are over.
    Stability(Stability) = "stability",
    /// The run was held against its gates.
    Gates(Box<GateReport>) = "gates",
    /// The run is over.
    RunEnd(RunEnd) = "run_end",
}
