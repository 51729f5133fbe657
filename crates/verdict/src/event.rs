//! The run event: what happened in a run, one line each.
//!
//! ```json
//! {"v":1,"type":"tool_call","suite":"demo","case_id":"t1","attempt":1,"timestamp":1763176000123,"turn":0,"name":"search_docs","call_id":"c1","args":{"q":"reset"}}
//! ```
//!
//! The envelope (`v`, `type`, `suite`, `case_id`, `attempt`, `timestamp` in Unix milliseconds) comes first in every line, then
//! the fields of the type. `case_id` and `attempt` are absent where the event is the run's own.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::{Detail, Similarity};
use agentci_source::Place;
use agentci_trace::Usage;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;

use crate::{Cause, EventError, GateReport, Played, Prompt, Stability, StabilitySummary, Status};

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
    Log(Log) = "log",
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

/// Facts about the run as a whole.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct RunStart {
    /// The version of `agentci`.
    pub agentci_version: String,
    /// The name of the run folder, or of the run where there is none.
    pub run_id: String,
    /// The format of the suite.
    pub dialect: String,
    /// Whether tools are replayed, recorded or live.
    pub mode: String,
    /// The suite's file.
    pub suite_path: String,
    /// How the agent is started, if it is a command and the same for all cases.
    pub agent_command: Vec<String>,
    /// How many cases were selected.
    pub cases_total: usize,
    /// How many cases of the suite were not.
    #[serde(default)]
    pub cases_left_out: usize,
    /// How many of the selected cases are answered from recordings of the whole agent.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub cases_played: usize,
    /// How many of them have no agent at all.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub cases_without_agent: usize,
    /// Whether the run fails when a case is played that is not meant to be.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub require_agent: bool,
    /// The commit that is tested, if the surroundings say so.
    pub git_sha: Option<String>,
    /// Where the tools are played that agents call which the run does not start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools_at: Option<String>,
    /// The seed of all random choices, if there are any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// The name of the agent, where it has one and it is the same for all cases.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// Where the agent is defined.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_path: Option<String>,
    /// The name of what reaches its model, if all cases have the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub connector: Option<String>,
    /// Who asks and from where, by name, unless a case says otherwise.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub environment: BTreeMap<String, String>,
    /// What the user asked for beside the suite, by the name of the flag.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub options: BTreeMap<String, Value>,
    /// Which part of a run it is, where several machines share one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shard: Option<ShardOf>,
    /// What kept suites or cases from being loaded that were to be run with it: no case tells of it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_loaded: Vec<NotLoaded>,
}

/// Why something that was to be run could not be loaded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NotLoaded {
    /// What is wrong.
    pub message: String,
    /// Where.
    pub place: Place,
    /// What to do about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
}

/// Which part of a run this is.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShardOf {
    /// Which, from 1.
    pub index: u32,
    /// Of how many.
    pub count: u32,
    /// How many cases of the suite all parts together have.
    pub cases: usize,
    /// The SHA-256 of their names in order: parts of different selections do not belong together.
    pub digest: String,
    /// The SHA-256 of the files that the suite and its cases are written in: neither do parts of different versions of a suite.
    /// Empty in runs of older versions.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub suite_digest: String,
}

/// What the agent was given to do.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct TaskStart {
    /// The case.
    pub task_id: Arc<str>,
    /// Its input.
    pub input: Arc<Value>,
}

/// A turn after the first.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct TurnStart {
    /// Which, from 0.
    pub turn: u32,
    /// What was said.
    pub input: Arc<Value>,
}

/// Words of the agent.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct TextSaid {
    /// In which turn.
    pub turn: u32,
    /// The words.
    pub text: String,
}

/// A tool call.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ToolCallMade {
    /// In which turn.
    pub turn: u32,
    /// The tool.
    pub name: String,
    /// Which call.
    pub call_id: String,
    /// Its arguments.
    pub args: Arc<Value>,
    /// Who saw it, where that is not the protocol that the agent speaks: `stub`, `provider`, or `model_wire` for a call that a
    /// model asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observer: Option<String>,
}

/// An answer to a tool call.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ToolResultGiven {
    /// In which turn.
    pub turn: u32,
    /// Which call.
    pub call_id: String,
    /// Whether the tool did its work.
    pub ok: bool,
    /// What it gave.
    pub result: Arc<Value>,
    /// What it complained of.
    pub error: Option<String>,
    /// What went wrong with it on purpose: the agent may not have got it as it stands here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<String>,
    /// Who saw it, where that is not the protocol that the agent speaks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observer: Option<String>,
    /// The form of a refusal that it was recognised by: the tool was not run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refused: Option<String>,
    /// The form of a failure that it was recognised by.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recognised: Option<String>,
}

/// A call of the agent's model.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ModelCallMade {
    /// In which turn.
    pub turn: u32,
    /// What was asked.
    pub request: Arc<Value>,
    /// What was answered.
    pub response: Arc<Value>,
}

/// A log line through the protocol.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Log {
    /// How grave.
    pub level: String,
    /// The words.
    pub message: String,
    /// Anything beside them.
    pub data: Option<Arc<Value>>,
}

/// The agent's own word that it failed.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct TaskError {
    /// The words.
    pub message: String,
    /// Anything beside them.
    pub data: Option<Arc<Value>>,
}

/// The agent's result.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct FinalOutput {
    /// The result.
    pub output: Arc<Value>,
}

/// What became of a check.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CheckEnd {
    /// Its name, in the words of the suite.
    pub name: String,
    /// What in particular was asked, where the suite's dialect tells its checks apart by it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    /// What became of it.
    pub status: CheckStatus,
    /// Why, unless it held.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// What had to be found out beside the trace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<Arc<Value>>,
}

/// What became of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CheckStatus {
    /// It held.
    Held,
    /// It did not.
    Failed,
    /// It could not be evaluated though it should have been.
    Error,
    /// It was not looked at.
    NotEvaluated,
}

/// How an attempt at a case ended: all a report needs of it. Reports keep one for each case to the end of the run, so what few
/// cases have takes little room in the others.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct CaseEnd {
    /// The case, which the event names.
    #[serde(skip)]
    pub id: Arc<str>,
    /// The position of the case among those selected, from 0: reports list cases in this order, whatever finished first.
    pub index: usize,
    /// How many attempts there are to be.
    pub runs: u32,
    /// Whether it passed.
    pub passed: bool,
    /// How it ended.
    pub status: Status,
    /// Why, unless it passed.
    pub cause: Option<Cause>,
    /// What the case is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<Box<str>>,
    /// The words it can be selected by.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// Milliseconds from the start of the agent to its result, or to its end.
    pub wall_ms: u64,
    /// The same in microseconds; 0 where only milliseconds are known.
    #[serde(default, skip_serializing_if = "is_no_time")]
    pub wall_us: u64,
    /// What it used.
    pub metrics: Metrics,
    /// How many checks there were and how many did not hold.
    pub assertions: AssertionCount,
    /// Everything that kept it from passing.
    pub findings: Vec<Finding>,
    /// What is odd and did not keep it from passing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// When its turns began and ended, where its agent speaks a protocol of conversations.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub turns: Vec<TurnTimes>,
    /// What was observed of its tool calls, where not only the protocol of the agent tells of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<CallLife>,
    /// The ways in which it asked models, by their ids; absent where nobody could observe its requests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked: Option<Box<Vec<String>>>,
    /// Those of them that no case of the run had before it, with all that is kept of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub prompts: Vec<Prompt>,
    /// How near what the agent said is to what was expected, for each check that measured it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub similarities: Vec<Similarity>,
    /// The recording it was played from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replay: Option<Box<Replay>>,
    /// The recording of the whole agent that answered it: no agent was run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub played: Option<Box<Played>>,
    /// Whether it has no agent, because its target is a script.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub no_agent: bool,
    /// The last lines the agent wrote to its standard error, kept unless it passed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stderr_tail: Vec<String>,
    /// The first 16 hexadecimal digits of the SHA-256 of the output in canonical form, where the case is run more than once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_hash: Option<Box<str>>,
    /// Why it was skipped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skip_reason: Option<Box<str>>,
    /// Where the case stands in its suite.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<Place>,
    /// What its file has the agent asked, where that is not what the agent is sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<Box<Value>>,
    /// The whole result that its file hopes for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected: Option<Box<Value>>,
    /// What else its file says of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Box<Value>>,
}

/// When a turn began and ended, in Unix milliseconds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TurnTimes {
    /// Which, from 0.
    pub turn: u32,
    /// When it was begun.
    pub turn_start_ts: u64,
    /// When the agent was done with it, or what the agent did last where it never was.
    pub turn_end_ts: u64,
}

/// What was observed of a tool call.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallLife {
    /// The tool.
    pub tool: String,
    /// In which turn, from 0.
    pub turn: u32,
    /// What was observed of it, in order: `requested`, `executed`, `answered`, `refused`, `unobserved`.
    pub seen: Vec<String>,
    /// Who observed it: `stub`, `protocol`, `provider`, `model_wire`.
    pub observers: Vec<String>,
    /// Whether it counts as made.
    pub counts: bool,
    /// The exchanges that are parts of it, by the tool that was asked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<String>,
}

impl CallLife {
    /// It in a few words: `requested and answered, seen by the model wire`.
    pub fn words(&self) -> String {
        let seen = if self.seen.is_empty() { "called".to_owned() } else { self.seen.join(", ") };
        let parts =
            if self.parts.is_empty() { String::new() } else { format!("; within it {}", self.parts.join(", ")) };
        format!("{seen}; seen by {}{parts}", self.observers.join(", "))
    }
}

/// What an attempt used.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Metrics {
    /// Tool calls, refused ones included.
    pub tool_calls: u64,
    /// Tool calls answered with an error.
    pub tool_errors: u64,
    /// Requests to a model, each counted once however often it was repeated after a failure; absent where nobody observed the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model_calls: Option<u64>,
    /// Calls by tool.
    pub tool_calls_by_name: BTreeMap<String, u64>,
    /// Errors by tool.
    pub tool_errors_by_name: BTreeMap<String, u64>,
    /// Tokens and cost, as the agent reports them.
    pub usage: Usage,
    /// Its first tool calls, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<Step>,
}

/// A tool call, as far as it takes to see that another run went another way.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// The tool.
    pub tool: String,
    /// The first 16 hexadecimal digits of the SHA-256 of the arguments in canonical form.
    pub args_hash: String,
    /// The arguments as JSON without secrets, if that is short.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub args: Option<Box<str>>,
    /// Whether a model asked for it and the agent sent a result, and nobody saw the tool run.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub only_answered: bool,
    /// Whether it is an exchange with a stub during a call, not a call of its own.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub within: bool,
}

impl Step {
    /// Whether the same tool was called with the same arguments. Not all runs have written down the arguments themselves.
    pub fn is_same_call(&self, other: &Self) -> bool {
        self.tool == other.tool && self.args_hash == other.args_hash
    }

    /// Whether a later run took the same step: the same call, and seen to run if it was. That a tool is seen to run only
    /// now does not mean that the agent changed.
    pub fn is_repeated_by(&self, later: &Self) -> bool {
        self.is_same_call(later) && (self.only_answered || !later.only_answered)
    }
}

/// How many checks there were.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AssertionCount {
    /// All of them.
    pub total: usize,
    /// Those that did not hold.
    pub failed: usize,
}

/// One thing that kept a case from passing.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// What kind of thing.
    pub cause: Cause,
    /// The name of the check or limit, or the cause's own.
    pub name: String,
    /// What is wrong, one sentence or more.
    pub message: String,
    /// The suite line that asked for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<Place>,
    /// A few words to stand beside the marked text.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub label: String,
    /// Further facts, a line each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// The same for programs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub details: Vec<Detail>,
    /// What to do about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
    /// In which turn, from 0, where it was asked of one turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<u32>,
}

impl Finding {
    /// A finding that has no better name than its cause.
    pub fn new(cause: Cause, message: impl Into<String>) -> Self {
        Self { cause, name: cause.name().into(), message: message.into(), ..Self::default() }
    }

    /// Points at a place, with a few words beside it.
    #[must_use]
    pub fn at(self, place: Place, label: impl Into<String>) -> Self {
        Self { place: Some(place), label: label.into(), ..self }
    }

    /// Says what to do about it.
    #[must_use]
    pub fn help(self, help: impl Into<String>) -> Self {
        Self { help: Some(help.into()), ..self }
    }
}

/// The recording a case was played from.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Replay {
    /// The file.
    pub cassette_path: String,
    /// Its SHA-256, in hexadecimal.
    pub cassette_sha256: String,
    /// The lines that no call asked for, when the case came to its end.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unused_lines: Vec<usize>,
    /// How requests were matched, where the world around the agent was played.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub matched: Option<Matched>,
}

/// How the requests of an agent were matched with those of a recording.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Matched {
    /// Requests that were equal.
    pub exact: usize,
    /// Requests that differed where they may.
    pub with_holes: usize,
    /// Ids that differed.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub ids: usize,
    /// Renderings of the present time that differed.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub clock: usize,
    /// Folders that differed.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub folders: usize,
    /// Differences in places that are known to differ from run to run.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub learned: usize,
    /// Differences that the suite says do not count.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub ignored: usize,
    /// Recorded exchanges that nobody asked for, by their numbers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unused: Vec<u64>,
    /// The first ids that differed, recorded and sent, and where they were seen first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub renamed: Vec<String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "this is how serde asks")]
fn is_zero(count: &usize) -> bool {
    *count == 0
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "this is how serde asks")]
fn is_no_time(microseconds: &u64) -> bool {
    *microseconds == 0
}

/// A time in microseconds, of which at least the milliseconds are known.
fn micros(millis: u64, exact: u64) -> u64 {
    if exact > 0 { exact } else { millis.saturating_mul(1000) }
}

impl CaseEnd {
    /// How long it took, in microseconds as far as they are known.
    pub fn micros(&self) -> u64 {
        micros(self.wall_ms, self.wall_us)
    }
}

impl RunEnd {
    /// How long it took, in microseconds as far as they are known.
    pub fn micros(&self) -> u64 {
        micros(self.wall_ms, self.wall_us)
    }
}

/// How the run ended.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct RunEnd {
    /// Milliseconds from start to end.
    pub wall_ms: u64,
    /// The same in microseconds; 0 where only milliseconds are known.
    #[serde(default, skip_serializing_if = "is_no_time")]
    pub wall_us: u64,
    /// Whether the user stopped it.
    pub interrupted: bool,
    /// Cases that were selected and never begun, because of an interruption or `--fail-fast`.
    pub not_run: usize,
    /// How much the runs of the cases were alike, if any was run more than once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stability: Option<StabilitySummary>,
}
