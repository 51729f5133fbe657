//! What to run, as pure data.
//!
//! A front end (`agentci-formats`) lowers a suite file to a [`Plan`]; everything after it works on the plan alone. Every case in
//! a plan is complete, no inheritance is left, and every node knows the file, line and column it came from, so that a failed
//! check can point at the line that asked for it. Nothing here touches the clock, the network, the environment or the disk:
//! files come in through the [`Files`] trait.

mod answered;
mod calendar;
mod case;
mod check;
mod demand;
mod diagnostic;
mod effect;
mod fault;
mod files;
mod gates;
mod hook;
mod limits;
mod live;
mod mock;
mod model;
mod name;
mod node;
mod normalization;
pub mod observed;
mod outcome;
pub mod read;
mod redaction;
mod routes;
mod scalar;
mod seed;
pub mod shape;
mod similarity;
mod source;
mod suite;
mod target;
mod template;
mod turn;
mod units;
mod world;

pub use answered::AnsweredBy;
pub use calendar::civil_date;
pub use case::{Case, Cases, MOST_RUNS, Skip, StopRule};
pub use check::{Check, Wording};
pub use demand::EmptyDemand;
pub use diagnostic::{Diagnostic, Diagnostics, Severity, did_you_mean};
pub use effect::without_effect;
pub use fault::{Fault, FaultKind, FaultTime};
pub use files::{Entry, FileError, Files, Kind, MemoryFiles, Unusable, join, relative};
pub use gates::Gates;
pub use hook::Hook;
pub use limits::{Limit, Limits};
pub use live::{CommandTool, HttpTool, LiveTool, LiveTools, McpTool, TOOL_TIMEOUT};
pub use mock::{MockResponse, MockScript, MockTarget};
pub use model::{
    Finish, ModelCondition, ModelFailure, ModelFailureKind, ModelRule, ModelScript, ModelWorld, Pace, ScriptedCall,
    ScriptedUsage, UserText,
};
pub use name::Name;
pub use node::{Content, Key, Node, Pair};
pub use normalization::{Normalization, TextReplacement};
pub use outcome::{Detail, Failure, Outcome};
pub use redaction::Redaction;
pub use routes::{Fixture, FixtureAnswer, Missed, RouteRecord, RoutedTool, Routes, ToolBase};
pub use scalar::{Reading, Scalar};
pub use seed::{draw, mix, share};
pub use similarity::{Differing, DifferingFact, Similarity, is_meant};
pub use source::{FileId, Place, Sources, Span, Spanned};
pub use suite::{Dialect, Mode, Plan, Suite};
pub use target::{
    A2aCard, A2aTarget, AguiTarget, AguiWire, ApiKeyPlace, Auth, ChatApi, ChatContext, ChatTarget, ClientTool,
    CommandPart, Connector, EnvironmentFile, HttpServer, HttpTarget, KeyHeader, McpTarget, McpTransport, OutputRule,
    ProcessTarget, Prompt, REQUEST_TIMEOUT, ScriptFile, Speech, Strictness, Target, TextEvents,
};
pub use template::{Data, Template, Text, UnsetVariable, Variables, escape, fill, is_input};
pub use turn::{Action, Message, Said, Turn};
pub use units::{parse_duration, print_duration};
pub use world::{Cassette, Recording, ScriptedAnswer, ScriptedTool, ToolSource, World};
