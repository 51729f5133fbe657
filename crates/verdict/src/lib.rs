//! Turns outcomes into verdicts, and defines the run event: the one stream that ledgers and reports consume.

mod aggregate;
mod answer_source;
mod baseline;
mod calendar;
mod compare;
mod comparison;
mod distribution;
mod document;
mod event;
mod exit;
mod line;
mod matrix;
mod outcome;
mod pairs;
mod policy;
mod prompts;
mod regression;
mod rows;
mod score;
mod settle;
mod similarity;
mod stability;
mod status;
mod thresholds;

pub use aggregate::{AggregateTally, Aggregates, Spread};
pub use answer_source::{Agentless, Played};
pub use baseline::{
    Baseline, BaselineCase, BaselineError, CaseHistory, CaseSample, History, KEPT_RUNS, Measure, PastRun,
    SCHEMA_VERSION, STEPS_RULE, incomplete, print_baseline, promote,
};
pub use calendar::{iso_utc, stamp, unix_seconds};
pub use compare::compare;
pub use comparison::{
    CaseChanges, Comparison, Gate, GateCheck, GateStatus, MetricChanges, RateChange, SimilarityChange, SlowerCase,
    StatusChange, StepChange, WallChange, WallChanges,
};
pub use distribution::Distribution;
pub use event::{
    AssertionCount, AxisSetting, Body, CallLife, CallStep, CaseCombination, CaseEnd, CaseRecheck, CheckChange,
    CheckEnd, CheckStatus, FinalOutput, Finding, LogLine, Matched, Metrics, ModelCallMade, NotLoaded, NotRechecked,
    ReplaySource, RunCeiling, RunEnd, RunEvent, RunRecheck, RunResumed, RunSession, RunStart, ShardOf, TaskError,
    TaskStart, TextSaid, ToolCallMade, ToolResultGiven, TraceEnd, TraceKind, TraceMark, TurnStart, TurnTimes,
    check_changes,
};
pub use exit::ExitStatus;
pub use line::{EventError, LinePlace, VERSION};
pub use matrix::{
    AxisDifference, AxisResults, AxisValueResults, CombinationResults, GridCell, GridRow, MatrixNumbers, MatrixResults,
};
pub use outcome::{Detail, Failure, Outcome};
pub use policy::{GateReport, Policy};
pub use prompts::{
    KeptPrompt, NOW, PROMPTS_RULE, PromptChange, PromptParameters, PromptRequest, PromptTool, Prompts, SystemPrompt,
};
pub use regression::{
    CaseTrend, NoiseReport, RepeatRule, SimulatedChange, SimulatedRepeats, Simulation, Trend, Undecided,
};
pub use rows::{CaseRow, Rows};
pub use score::{CheckScore, ScoreSummary, ScoreTally};
pub use settle::settle;
pub use similarity::{Contradiction, DifferingFact, DifferingFacts, Similarity};
pub use stability::{Stability, StabilityClass, StabilitySummary};
pub use status::{CaseStatus, Cause};
pub use thresholds::{GrowthThreshold, Thresholds};
