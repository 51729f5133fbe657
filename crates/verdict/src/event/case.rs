//! The results of checks and of attempts at cases.

use std::collections::BTreeMap;
use std::sync::Arc;

use agentci_source::Place;
use agentci_trace::Usage;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::absent::{is_zero, micros};
use crate::{
    CallLife, CallStep, CaseCombination, CaseRecheck, CaseStatus, Cause, CheckScore, Finding, KeptPrompt, Played,
    ReplaySource, Similarity,
};

/// The end of an attempt at a case: everything that reports need. Reports keep one for each case until the end of the
/// run, so rare fields are boxed to save memory.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct CaseEnd {
    /// The id of the case, as in the event.
    #[serde(skip)]
    pub id: Arc<str>,
    /// The position of the case among the selected cases, from 0: reports list cases in this order, whichever finished
    /// first.
    pub index: usize,
    /// The number of attempts. If the case is repeated until it is decided, the number as far as known: an attempt that
    /// is followed by another one counts that one, too.
    pub runs: u32,
    /// The maximum number of attempts, if the case is repeated until it is decided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub most_runs: Option<u32>,
    /// Whether it passed.
    pub passed: bool,
    /// The status of the attempt.
    pub status: CaseStatus,
    /// The cause, unless it passed.
    pub cause: Option<Cause>,
    /// The description of the case.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<Box<str>>,
    /// The tags of the case.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// The combination of a matrix that it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub combination: Option<Box<CaseCombination>>,
    /// Milliseconds from the start of the agent to its result, or to its end.
    pub wall_ms: u64,
    /// The same time in microseconds; 0 if only milliseconds are known.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub wall_us: u64,
    /// The usage of the attempt.
    pub metrics: Metrics,
    /// The number of checks, and of failed checks.
    pub assertions: AssertionCount,
    /// The reasons why it did not pass.
    pub findings: Vec<Finding>,
    /// Warnings, which do not keep it from passing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// The start and end of its turns, if its agent uses a conversation protocol.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub turns: Vec<TurnTimes>,
    /// What was observed about its tool calls, if observers other than the agent's protocol reported any.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<CallLife>,
    /// The ids of its prompts; absent if its requests could not be observed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked: Option<Box<Vec<String>>>,
    /// The prompts that no earlier case of the run contained, as recorded.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub prompts: Vec<KeptPrompt>,
    /// The similarity of the answer to the expected text, for each check that measured it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub similarities: Vec<Similarity>,
    /// The partial scores of the answer, for each check that gave one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scores: Vec<CheckScore>,
    /// The recording that was replayed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replay: Option<Box<ReplaySource>>,
    /// The recording that replaced the agent: no agent was run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub played: Option<Box<Played>>,
    /// Whether the case has no agent because its target is a script.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub no_agent: bool,
    /// Whether nothing that its agent met varies from run to run: its model is scripted or recorded, or there is none.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub deterministic: bool,
    /// The last lines of the agent's standard error; omitted if it passed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stderr_tail: Vec<String>,
    /// The first 16 hexadecimal digits of the SHA-256 of the output in canonical form, if the case is run more than
    /// once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_hash: Option<Box<str>>,
    /// Why it was skipped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skip_reason: Option<Box<str>>,
    /// The place of the case in its suite.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<Place>,
    /// The input as written in the case file, if it differs from what the agent is sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<Box<Value>>,
    /// The complete expected result, if the case file has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected: Option<Box<Value>>,
    /// The metadata in the case file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Box<Value>>,
    /// What a recheck of the stored run changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recheck: Option<Box<CaseRecheck>>,
}

impl CaseEnd {
    /// Whether it was ended by an interruption or by a ceiling of the run, so that it says nothing about the agent.
    pub fn was_cut(&self) -> bool {
        self.findings.iter().any(|finding| finding.cause == Cause::Interrupted)
    }

    /// The wall time in microseconds, as far as known.
    pub fn micros(&self) -> u64 {
        micros(self.wall_ms, self.wall_us)
    }
}

/// The result of a check.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct CheckEnd {
    /// The name of the check, as in the suite.
    pub name: String,
    /// What the check expects, in short form: its subject or its arguments.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    /// The status of the check.
    pub status: CheckStatus,
    /// The reason, unless it passed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// The partial score that the check gave.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<CheckScore>,
    /// Evidence that was gathered in addition to the trace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<Arc<Value>>,
    /// The number of the turn, from 0, if it is a check of one turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<u32>,
    /// The beginning of the SHA-256 of the check and the files it names; absent if it contains a secret.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub definition: Option<Box<str>>,
    /// The same of the question that the evidence answers, computed without secrets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<Box<str>>,
}

/// The result of a check.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CheckStatus {
    /// The check passed.
    #[default]
    #[serde(rename = "held")]
    Passed,
    /// The check failed.
    Failed,
    /// The check could not be evaluated.
    Error,
    /// The check was not evaluated.
    NotEvaluated,
}

/// The start and end of a turn, in Unix milliseconds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TurnTimes {
    /// The number of the turn, from 0.
    pub turn: u32,
    /// The start of the turn.
    pub turn_start_ts: u64,
    /// The end of the turn, or the last event of the agent if the turn did not end.
    pub turn_end_ts: u64,
}

/// The usage of an attempt.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Metrics {
    /// The number of tool calls, not counting those that were refused instead of executed.
    pub tool_calls: u64,
    /// The number of tool calls that were answered with an error.
    pub tool_errors: u64,
    /// The number of model calls, not counting retries after a failure; absent if the model was not observed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model_calls: Option<u64>,
    /// The number of calls by tool.
    pub tool_calls_by_name: BTreeMap<String, u64>,
    /// The number of errors by tool.
    pub tool_errors_by_name: BTreeMap<String, u64>,
    /// Tokens and cost, as the agent reports them.
    pub usage: Usage,
    /// The first tool calls, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<CallStep>,
}

/// The number of checks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AssertionCount {
    /// All checks.
    pub total: usize,
    /// Failed checks.
    pub failed: usize,
}
