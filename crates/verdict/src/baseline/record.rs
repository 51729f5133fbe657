//! A run that other runs are compared with.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::Value;

use super::read;
use crate::{Aggregates, BaselineCase, CaseStatus, History, Prompts, Rows, Spread};

/// The version of the rule by which tool calls are counted and steps are recorded. Version 1 counted the calls that a
/// model behind the agent requested. Version 2 counts the calls that the agent made: those it reports itself, and those
/// that its model requested and that were executed or answered. Version 3 also records which calls were not seen to
/// run, and the exchanges during calls.
pub const STEPS_RULE: u64 = 3;

/// The version of the fields of `summary.json`.
pub const SCHEMA_VERSION: u64 = 1;

/// A baseline, or a run that is compared with one.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Baseline {
    /// The version of the fields of the file.
    pub schema_version: u64,
    /// The version of the rule by which its steps were recorded.
    pub steps_rule: u64,
    /// The name of the suite.
    pub suite: String,
    /// Whether tools were replayed, recorded or live.
    pub mode: String,
    /// The share of passed cases among those that ran.
    pub pass_rate: f64,
    /// The mean wall time of a case, in milliseconds.
    pub wall_ms_mean: Option<f64>,
    /// The 95th percentile of the wall time of a case, in milliseconds.
    pub wall_ms_p95: Option<f64>,
    /// Its cases, sorted by id.
    pub cases: Vec<BaselineCase>,
    /// The prompts of its cases, if they were recorded.
    pub prompts: Option<Arc<Prompts>>,
    /// The recent runs of a baseline file; empty for a run.
    pub history: History,
}

/// Why a file is not a baseline.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum BaselineError {
    /// The file is not JSON.
    #[error("it is not JSON: {}", agentci_text::json_error(.0))]
    NotJson(String),
    /// Git left conflict markers in the file.
    #[error("line {0} is a conflict marker of git: keep the lines of both sides, and remove the markers")]
    Conflict(usize),
    /// Fields are missing or have the wrong type; each problem names its place as a JSON pointer.
    #[error("{}", told(.0))]
    Shape(Vec<String>),
}

/// The first problems; a file that is not a summary has many.
fn told(problems: &[String]) -> String {
    let shown = problems.iter().take(3).map(String::as_str).collect::<Vec<_>>().join("; ");
    match problems.len().saturating_sub(3) {
        0 => shown,
        more => format!("{shown}; and {more} more"),
    }
}

impl Baseline {
    /// Reads a file.
    pub fn parse(bytes: &[u8]) -> Result<Self, BaselineError> {
        let document = serde_json::from_slice(bytes).map_err(|error| {
            let marker = bytes.split(|byte| *byte == b'\n').position(|line| line.starts_with(b"<<<<<<< "));
            marker.map_or_else(|| BaselineError::NotJson(error.to_string()), |line| BaselineError::Conflict(line + 1))
        })?;
        Self::read(&document)
    }

    /// Reads a document.
    pub fn read(document: &Value) -> Result<Self, BaselineError> {
        let mut problems = Vec::new();
        let baseline = read::document(document, &mut problems);
        baseline.filter(|_| problems.is_empty()).ok_or(BaselineError::Shape(problems))
    }

    /// A run, to be compared with a baseline.
    pub fn of(suite: &str, mode: &str, rows: &Rows) -> Self {
        let numbers = Aggregates::of(rows);
        let cases = rows.iter().map(BaselineCase::of).collect();
        Self {
            schema_version: SCHEMA_VERSION,
            steps_rule: STEPS_RULE,
            suite: suite.to_owned(),
            mode: mode_of(mode),
            pass_rate: numbers.pass_rate,
            wall_ms_mean: numbers.wall_ms.map(|spread| spread.mean),
            wall_ms_p95: numbers.wall_ms.map(|spread| spread.p95),
            cases: sorted(cases),
            prompts: Prompts::of(rows).map(Arc::new),
            history: History::default(),
        }
    }

    /// The baseline restricted to these cases.
    #[must_use]
    pub fn only(&self, ids: &BTreeSet<&str>) -> Self {
        let cases: Vec<BaselineCase> =
            self.cases.iter().filter(|case| ids.contains(case.id.as_str())).cloned().collect();
        let ran: Vec<&BaselineCase> = cases.iter().filter(|case| case.status != CaseStatus::Skipped).collect();
        let wall_ms = Spread::of(ran.iter().map(|case| case.wall_ms));
        let passed = ran.iter().map(|case| if case.status == CaseStatus::Pass { 1.0 } else { 0.0 });
        Self {
            pass_rate: Spread::of(passed).map_or(0.0, |spread| spread.mean),
            wall_ms_mean: wall_ms.map(|spread| spread.mean),
            wall_ms_p95: wall_ms.map(|spread| spread.p95),
            cases,
            ..self.clone()
        }
    }
}

/// The mode of a run; recording uses the live tools.
pub(crate) fn mode_of(mode: &str) -> String {
    if mode == "record" { "live".to_owned() } else { mode.to_owned() }
}

pub(super) fn sorted(mut cases: Vec<BaselineCase>) -> Vec<BaselineCase> {
    cases.sort_by(|one, other| one.id.cmp(&other.id));
    cases
}
