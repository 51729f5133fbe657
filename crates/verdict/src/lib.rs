//! From outcomes to a verdict, and the run event: the one stream that ledgers and reports consume.

mod aggregate;
mod calendar;
mod event;
mod exit;
mod rows;
mod settle;
mod status;

pub use aggregate::{Aggregates, Spread};
pub use calendar::{iso_utc, stamp};
pub use event::{
    AssertionCount, Body, CaseEnd, CheckEnd, CheckStatus, EventError, FinalOutput, Finding, Log, Metrics,
    ModelCallMade, Replay, RunEnd, RunEvent, RunStart, TaskError, TaskStart, TextSaid, ToolCallMade, ToolResultGiven,
    TurnStart, VERSION,
};
pub use exit::ExitStatus;
pub use rows::{Row, Rows};
pub use settle::settle;
pub use status::{Cause, Status};
