//! What came of a check, and of an attempt at a case.

use std::collections::BTreeMap;
use std::sync::Arc;

use agentci_source::Place;
use agentci_trace::Usage;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::absent::{is_zero, micros};
use crate::{CallLife, CallStep, CaseStatus, Cause, Finding, KeptPrompt, Played, ReplaySource, Similarity};

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
    pub status: CaseStatus,
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
    #[serde(default, skip_serializing_if = "is_zero")]
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
    pub prompts: Vec<KeptPrompt>,
    /// How near what the agent said is to what was expected, for each check that measured it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub similarities: Vec<Similarity>,
    /// The recording it was played from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replay: Option<Box<ReplaySource>>,
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

impl CaseEnd {
    /// How long it took, in microseconds as far as they are known.
    pub fn micros(&self) -> u64 {
        micros(self.wall_ms, self.wall_us)
    }
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
    pub steps: Vec<CallStep>,
}

/// How many checks there were.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AssertionCount {
    /// All of them.
    pub total: usize,
    /// Those that did not hold.
    pub failed: usize,
}
