//! The run event: something that happened in a run, stored as one line.
//!
//! ```json
//! {"v":1,"type":"tool_call","suite":"demo","case_id":"t1","attempt":1,"timestamp":1763176000123,"turn":0,"name":"search_docs","call_id":"c1","args":{"q":"reset"}}
//! ```
//!
//! The envelope (`v`, `type`, `suite`, `case_id`, `attempt`, `timestamp` in Unix milliseconds) comes first in every
//! line, followed by the fields of the type. `case_id` and `attempt` are absent for events of the run as a whole.

mod absent;
mod call;
mod case;
mod combination;
mod finding;
mod recheck;
mod replay;
mod run;
mod run_event;
mod task;
mod trace_end;

pub use call::{CallLife, CallStep};
pub use case::{AssertionCount, CaseEnd, CheckEnd, CheckStatus, Metrics, TurnTimes};
pub use combination::{AxisSetting, CaseCombination};
pub use finding::Finding;
pub use recheck::{CaseRecheck, CheckChange, NotRechecked, check_changes};
pub use replay::{Matched, ReplaySource};
pub use run::{NotLoaded, RunCeiling, RunEnd, RunRecheck, RunResumed, RunSession, RunStart, ShardOf};
pub use run_event::{Body, RunEvent};
pub use task::{
    FinalOutput, LogLine, ModelCallMade, TaskError, TaskStart, TextSaid, ToolCallMade, ToolResultGiven, TurnStart,
};
pub use trace_end::{TraceEnd, TraceKind, TraceMark};
