//! From outcomes to a verdict, and the run event: the one stream that ledgers and reports consume.

mod aggregate;
mod baseline;
mod calendar;
mod compare;
mod comparison;
mod document;
mod event;
mod exit;
mod line;
mod outcome;
mod pairs;
mod played;
mod policy;
mod promote;
mod prompts;
mod rows;
mod settle;
mod similarity;
mod stability;
mod status;
mod thresholds;

pub use aggregate::{Aggregates, Spread};
pub use baseline::{Baseline, BaselineCase, BaselineError, History, Measure, SCHEMA_VERSION, STEPS_RULE};
pub use calendar::{iso_utc, stamp};
pub use compare::compare;
pub use comparison::{
    CaseChanges, Comparison, Gate, GateCheck, GateStatus, MetricChanges, RateChange, SimilarityChange, SlowerCase,
    StatusChange, StepChange, WallChange, WallChanges,
};
pub use event::{
    AssertionCount, Body, CallLife, CaseEnd, CheckEnd, CheckStatus, FinalOutput, Finding, Log, Matched, Metrics,
    ModelCallMade, NotLoaded, Replay, RunEnd, RunEvent, RunStart, ShardOf, Step, TaskError, TaskStart, TextSaid,
    ToolCallMade, ToolResultGiven, TurnStart, TurnTimes,
};
pub use exit::ExitStatus;
pub use line::{EventError, VERSION};
pub use outcome::{Detail, Failure, Outcome};
pub use played::{Agentless, Played};
pub use policy::{GateReport, Policy};
pub use promote::{incomplete, promote};
pub use prompts::{
    NOW, PROMPTS_RULE, Prompt, PromptChange, PromptParameters, PromptRequest, PromptTool, Prompts, SystemPrompt,
};
pub use rows::{Row, Rows};
pub use settle::settle;
pub use similarity::{Differing, DifferingFact, Similarity};
pub use stability::{Stability, StabilityClass, StabilitySummary};
pub use status::{Cause, Status};
pub use thresholds::Thresholds;
