//! What to run, as pure data.
//!
//! A front end (`agentci-formats`) lowers a suite file to a [`Plan`]; the rest of the program works on the plan alone.
//! Every case in a plan is complete, with all defaults folded in, and every node has the file, line and column it came
//! from, so that a failed check can point at its line. Nothing here touches the clock, the network, the environment or
//! the disk.

mod answerer;
mod calendar;
mod case;
mod case_data;
mod case_path;
mod check;
mod combination;
mod embedder;
mod empty_demands;
mod fault;
mod format_conventions;
mod gates;
mod hook;
mod ineffective;
mod limits;
mod live_tools;
pub mod mcp_script;
pub mod mcp_world;
mod mock;
mod model;
mod normalization;
pub mod observability;
mod recorded;
mod redaction;
mod repeats;
mod routes;
mod seed;

mod suite;
mod target;
mod template;
mod turn;
mod world;

pub use answerer::AnsweredBy;
pub use calendar::{civil_date, days_of, time_of_day};
pub use case::{Case, Cases, MOST_RUNS, Skip, StopRule};
pub use case_data::{CaseData, CasePosition, PlannedCase, case_count, cases_by_files, planned, positions, row_problem};
pub use case_path::{CASE_PLACEHOLDER, changes_as_file_name, path_of_case};
pub use check::{Check, Wording};
pub use combination::Combination;
pub use embedder::is_meant;
pub use empty_demands::EmptyDemand;
pub use fault::{Fault, FaultKind, FaultTime};
pub use format_conventions::{
    CaseFiles, EmptyChecks, FormatConventions, InvalidChecks, Parallelism, RecordedNumbers, ReportWriter, ResultFiles,
    TimeLimit, Verdicts,
};
pub use gates::{Gates, GrowthGate};
pub use hook::Hook;
pub use ineffective::without_effect;
pub use limits::{Limit, Limits};
pub use live_tools::{CommandTool, HttpTool, LiveTool, LiveTools, McpTool, TOOL_TIMEOUT};
pub use mcp_world::{McpSource, McpWorld};
pub use mock::{MockResponse, MockScript, MockTarget};
pub use model::{
    AnswerPace, Finish, ModelCondition, ModelFailure, ModelFailureKind, ModelRule, ModelScript, ModelWorld,
    ScriptSource, ScriptedCall, ScriptedUsage, SequenceStep, WantedOffer, WantedWords,
};
pub use normalization::{Normalization, TextReplacement};
pub use recorded::{Matching, Price, RecordedCase, RecordedWorld};
pub use redaction::Redaction;
pub use repeats::{MOST_REPEATS, RepeatBudget, Repeats};
pub use routes::{
    Fixture, FixtureAnswer, FixtureWriter, RecordedFixture, RecordedTool, RouteRecord, RoutedTool, Routes, ToolBase,
    UnansweredRoute, WriteFixtures,
};
pub use seed::{draw, mix, share};
pub use suite::{Dialect, Mode, Plan, Suite};
pub use target::{
    A2aCard, A2aKeys, A2aTarget, AguiTarget, AguiWire, ApiKeyPlace, Assistant, Auth, ChatApi, ChatPrompt, ChatTarget,
    ClientTool, CommandPart, Connector, EnvironmentFile, HttpServer, HttpTarget, KeyHeader, McpTarget, McpTransport,
    OutputRule, ProcessTarget, REQUEST_TIMEOUT, ScriptFile, Speech, Strictness, Target, TextEvents,
};
pub use template::{
    ColumnError, Data, FilledPiece, Template, Text, UnsetVariableError, Variables, escape, escape_pattern, fill,
    fill_columns, is_input, is_row,
};
pub use turn::{Action, Message, Turn, TurnInput};
pub use world::{Cassette, RecordingSetting, ScriptedAnswer, ScriptedTool, ToolSource, World};
