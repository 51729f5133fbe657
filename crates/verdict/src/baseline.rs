//! The baseline: the record of a run that later runs are compared with.
//!
//! A baseline file is the `summary.json` of a run, without its own comparison:
//!
//! ```json
//! {
//!   "schema_version": 1,
//!   "run": { "run_id": "20251115-030640", "mode": "replay", "exit_status": "success" },
//!   "suite": { "name": "demo", "suite_path": "evals/demo/suite.yaml", "agent_command": ["python3"], "tool_mode": "replay",
//!              "tool_steps_rule": 3 },
//!   "aggregates": { "cases_total": 1, "cases_pass": 1, "cases_fail": 0, "cases_error": 0, "pass_rate": 1.0,
//!                   "metrics": { "wall_ms": { "mean": 56.0, "p95": 56.0 } } },
//!   "cases": [{ "id": "t1", "status": "pass", "wall_ms": 56, "tool_calls": 1, "tool_errors": 0,
//!               "assertions": { "total": 2, "failed": 0 },
//!               "tool_steps": [{ "tool": "search_docs", "args_hash": "9f86d081884c7d65" }],
//!               "similarity": 0.8712, "embedder": "openai:text-embedding-3-small",
//!               "history": { "runs": 3, "passes": 3 } }]
//! }
//! ```
//!
//! (Shortened.) `tool_steps_rule` of the suite is the version of the rule by which the steps were recorded; default: 1.
//! `tool_steps`, `similarity` with `embedder`, and `history` may be absent, as they are in files that `RunLedger`
//! created; other keys are ignored.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::aggregate::float;
use crate::document::DocumentPlace;
use crate::{Aggregates, CallStep, CaseEnd, CaseRow, CaseStatus, Cause, Prompts, Rows, Similarity, Spread};

/// The version of the rule by which tool calls are counted and steps are recorded. Version 1 counted the calls that a
/// model behind the agent requested. Version 2 counts the calls that the agent made: those it reports itself, and those
/// that its model requested and that were executed or answered. Version 3 also records which calls were not seen to
/// run, and the exchanges during calls.
pub const STEPS_RULE: u64 = 3;

/// The version of the fields of `summary.json`.
pub const SCHEMA_VERSION: u64 = 1;

/// A run that other runs are compared with.
#[derive(Debug, Clone, PartialEq)]
pub struct Baseline {
    /// The version of the fields of the file.
    pub schema_version: u64,
    /// The version of the rule by which its steps were recorded.
    pub steps_rule: u64,
    /// The name of the suite.
    pub suite: String,
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
}

/// A case of a baseline.
#[derive(Debug, Clone, PartialEq)]
pub struct BaselineCase {
    /// The id of the case.
    pub id: String,
    /// The status of the case.
    pub status: CaseStatus,
    /// The wall time in milliseconds.
    pub wall_ms: f64,
    /// Its tool calls in order, if they were recorded.
    pub steps: Option<Vec<CallStep>>,
    /// Whether observers other than the agent's protocol saw calls: only then does the version of the rule matter.
    pub seen_by_others: bool,
    /// The ids of its prompts, if they could be observed.
    pub asked: Option<Vec<String>>,
    /// Whether it finished, so that it sent all its requests.
    pub came_to_its_end: bool,
    /// The similarity of its answer to the expected one, if it was measured.
    pub similarity: Option<Measure>,
    /// Its results in all runs of the baseline.
    pub history: CaseHistory,
}

/// The similarity of an answer to the expected one, and the embedder that measured it.
#[derive(Debug, Clone, PartialEq)]
pub struct Measure {
    /// The similarity, rounded to four decimals.
    pub similarity: f64,
    /// The id of the embedder.
    pub embedder: String,
}

impl Measure {
    /// The lowest similarity of an attempt, which decides.
    pub fn of(end: &CaseEnd) -> Option<Self> {
        let least = Similarity::least(&end.similarities)?;
        let similarity = (least.similarity * 10_000.0).round() / 10_000.0;
        Some(Self { similarity, embedder: least.embedder.clone() })
    }

    /// The similarity as reports show it: from 0 to 1, with four decimals.
    pub fn shown(&self) -> String {
        Similarity { similarity: self.similarity, ..Similarity::default() }.shown()
    }
}

/// The results of a case over several runs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CaseHistory {
    /// The number of runs.
    pub runs: u64,
    /// The number of runs that passed.
    pub passes: u64,
}

impl CaseHistory {
    /// The results of a case in one run of the suite.
    pub fn of(row: &CaseRow) -> Self {
        let skipped = row.attempts.iter().filter(|attempt| attempt.status == CaseStatus::Skipped).count();
        let passed = row.attempts.iter().filter(|attempt| attempt.status == CaseStatus::Pass).count();
        Self { runs: (row.attempts.len() - skipped) as u64, passes: passed as u64 }
    }

    /// The sum of both.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self { runs: self.runs.saturating_add(other.runs), passes: self.passes.saturating_add(other.passes) }
    }

    /// Whether some runs passed and some did not.
    pub fn is_mixed(self) -> bool {
        self.passes > 0 && self.passes < self.runs
    }
}

/// Why a file is not a baseline.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum BaselineError {
    /// The file is not JSON.
    #[error("it is not JSON: {}", agentci_text::json_error(.0))]
    NotJson(String),
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
        let document = serde_json::from_slice(bytes).map_err(|error| BaselineError::NotJson(error.to_string()))?;
        Self::read(&document)
    }

    /// Reads a document.
    pub fn read(document: &Value) -> Result<Self, BaselineError> {
        let mut problems = Vec::new();
        let baseline = read(document, &mut problems);
        baseline.filter(|_| problems.is_empty()).ok_or(BaselineError::Shape(problems))
    }

    /// The baseline of a run.
    pub fn of(suite: &str, rows: &Rows) -> Self {
        let numbers = Aggregates::of(rows);
        let cases = rows.iter().map(BaselineCase::of).collect();
        Self {
            schema_version: SCHEMA_VERSION,
            steps_rule: STEPS_RULE,
            suite: suite.to_owned(),
            pass_rate: numbers.pass_rate,
            wall_ms_mean: numbers.wall_ms.map(|spread| spread.mean),
            wall_ms_p95: numbers.wall_ms.map(|spread| spread.p95),
            cases: sorted(cases),
            prompts: Prompts::of(rows).map(Arc::new),
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
            suite: self.suite.clone(),
            prompts: self.prompts.clone(),
            cases,
            ..*self
        }
    }
}

impl BaselineCase {
    fn of(row: &CaseRow) -> Self {
        let end = row.decisive();
        Self {
            id: row.id().to_string(),
            status: end.status,
            wall_ms: float(end.wall_ms),
            steps: Some(end.metrics.steps.clone()),
            seen_by_others: !end.calls.is_empty(),
            asked: row.asked(),
            came_to_its_end: came_to_its_end(end.cause),
            similarity: Measure::of(end),
            history: CaseHistory::of(row),
        }
    }
}

/// Whether a case with this cause finished.
fn came_to_its_end(cause: Option<Cause>) -> bool {
    let Some(cause) = cause else { return true };
    matches!(cause, Cause::Check | Cause::ModelNeverAsked)
        || matches!(cause, Cause::ToolNotOffered | Cause::ArgumentsDoNotFit | Cause::FormatNotMet)
}

fn sorted(mut cases: Vec<BaselineCase>) -> Vec<BaselineCase> {
    cases.sort_by(|one, other| one.id.cmp(&other.id));
    cases
}

fn read(document: &Value, problems: &mut Vec<String>) -> Option<Baseline> {
    let top = DocumentPlace::top(document);
    let schema_version = top.field("schema_version", problems).count(problems);
    let run = top.field("run", problems);
    for name in ["run_id", "mode", "exit_status"] {
        run.field(name, problems).text(problems);
    }
    let suite = top.field("suite", problems);
    let name = suite.field("name", problems).text(problems);
    for name in ["suite_path", "tool_mode"] {
        suite.field(name, problems).text(problems);
    }
    suite.field("agent_command", problems).items(problems);
    let steps_rule = suite.optional("tool_steps_rule").and_then(|at| at.count(problems)).unwrap_or(1);
    let aggregates = top.field("aggregates", problems);
    for name in ["cases_total", "cases_pass", "cases_fail", "cases_error"] {
        aggregates.field(name, problems).count(problems);
    }
    let pass_rate = aggregates.field("pass_rate", problems).number(problems);
    let metrics = aggregates.field("metrics", problems);
    metrics.object(problems);
    let wall_ms = metrics.optional("wall_ms");
    let mut wall = |name| wall_ms.as_ref()?.optional(name)?.number(problems);
    let (wall_ms_mean, wall_ms_p95) = (wall("mean"), wall("p95"));
    let prompts = top.optional("prompts").and_then(|at| {
        at.take("the prompts of a run", |value| serde_json::from_value::<Prompts>(value.clone()).ok(), problems)
    });
    let cases = top.field("cases", problems).items(problems);
    let cases = sorted(cases.iter().filter_map(|at| case(at, problems)).collect());
    Some(Baseline {
        schema_version: schema_version?,
        steps_rule,
        suite: name?.to_owned(),
        pass_rate: pass_rate?,
        wall_ms_mean,
        wall_ms_p95,
        cases,
        prompts: prompts.map(Arc::new),
    })
}

fn case(at: &DocumentPlace<'_>, problems: &mut Vec<String>) -> Option<BaselineCase> {
    let id = at.field("id", problems).text(problems);
    let status = at.field("status", problems).take("pass, fail, error or skipped", CaseStatus::read, problems);
    let wall_ms = at.field("wall_ms", problems).number(problems);
    for name in ["tool_calls", "tool_errors"] {
        at.field(name, problems).count(problems);
    }
    let assertions = at.field("assertions", problems);
    for name in ["total", "failed"] {
        assertions.field(name, problems).count(problems);
    }
    let steps = at.optional("tool_steps").map(|at| steps(&at, problems));
    let written = at.optional("history").and_then(|at| {
        let (runs, passes) = (at.field("runs", problems).count(problems), at.field("passes", problems).count(problems));
        Some(CaseHistory { runs: runs?, passes: passes? })
    });
    let similarity = at.optional("similarity").and_then(|at| at.number(problems));
    let embedder = at.optional("embedder").and_then(|at| at.text(problems));
    let similarity =
        similarity.zip(embedder).map(|(similarity, embedder)| Measure { similarity, embedder: embedder.into() });
    let seen_by_others = at.optional("calls").is_some();
    let asked = at
        .optional("asked")
        .map(|at| at.items(problems).iter().filter_map(|at| at.text(problems)).map(str::to_owned).collect::<Vec<_>>());
    let cause = at.optional("cause").and_then(|at| at.text(problems));
    let status = status?;
    let came_to_its_end = match cause {
        // Without a cause, only an error means that the case did not finish.
        None => status != CaseStatus::Error,
        Some(cause) => serde_json::from_value(cause.into()).is_ok_and(|cause| came_to_its_end(Some(cause))),
    };
    let once =
        CaseHistory { runs: u64::from(status != CaseStatus::Skipped), passes: u64::from(status == CaseStatus::Pass) };
    let history = written.unwrap_or(once);
    Some(BaselineCase {
        id: id?.to_owned(),
        status,
        wall_ms: wall_ms?,
        steps,
        seen_by_others,
        asked,
        came_to_its_end,
        similarity,
        history,
    })
}

fn steps(at: &DocumentPlace<'_>, problems: &mut Vec<String>) -> Vec<CallStep> {
    let step = |at: &DocumentPlace<'_>, problems: &mut Vec<String>| {
        let tool = at.field("tool", problems).text(problems);
        let args_hash = at.field("args_hash", problems).text(problems);
        let args = at.optional("args").and_then(|at| at.text(problems)).map(Into::into);
        let only_answered = at.optional("only_answered").and_then(|at| at.truth(problems)).unwrap_or_default();
        let within = at.optional("within").and_then(|at| at.truth(problems)).unwrap_or_default();
        Some(CallStep { tool: tool?.to_owned(), args_hash: args_hash?.to_owned(), args, only_answered, within })
    };
    at.items(problems).iter().filter_map(|at| step(at, problems)).collect()
}

impl CaseStatus {
    fn read(value: &Value) -> Option<Self> {
        let word = value.as_str()?;
        [CaseStatus::Pass, CaseStatus::Skipped, CaseStatus::Fail, CaseStatus::Error]
            .into_iter()
            .find(|status| status.name() == word)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// A document with only the required fields.
    fn document() -> Value {
        json!({
            "schema_version": 1,
            "run": { "run_id": "r", "mode": "replay", "exit_status": "success" },
            "suite": { "name": "demo", "suite_path": "s.yaml", "agent_command": [], "tool_mode": "replay" },
            "aggregates": { "cases_total": 2, "cases_pass": 1, "cases_fail": 1, "cases_error": 0, "pass_rate": 0.5,
                            "metrics": { "wall_ms": { "mean": 20, "p95": 30.0 }, "mine": null } },
            "cases": [
                { "id": "b", "status": "fail", "wall_ms": 30, "tool_calls": 0, "tool_errors": 0,
                  "assertions": { "total": 1, "failed": 1 } },
                { "id": "a", "status": "pass", "wall_ms": 10, "tool_calls": 1, "tool_errors": 0, "mine": [],
                  "assertions": { "total": 1, "failed": 0 }, "history": { "runs": 4, "passes": 3 },
                  "tool_steps": [{ "tool": "search", "args_hash": "00", "args": "{}" }] },
            ],
        })
    }

    #[test]
    fn reads_baseline_with_only_required_fields() {
        let baseline = Baseline::read(&document()).unwrap();
        assert_eq!((baseline.pass_rate, baseline.wall_ms_mean, baseline.wall_ms_p95), (0.5, Some(20.0), Some(30.0)));
        let [a, b] = baseline.cases.as_slice() else { panic!("two cases") };
        assert_eq!((a.id.as_str(), a.history), ("a", CaseHistory { runs: 4, passes: 3 }));
        assert_eq!(
            a.steps.as_deref(),
            Some(
                &[CallStep {
                    tool: "search".into(),
                    args_hash: "00".into(),
                    args: Some("{}".into()),
                    ..CallStep::default()
                }][..]
            )
        );
        assert_eq!((b.status, b.history, &b.steps), (CaseStatus::Fail, CaseHistory { runs: 1, passes: 0 }, &None));
    }

    #[test]
    fn reports_missing_field_with_its_location() {
        let wrong = |change: &dyn Fn(&mut Value)| {
            let mut document = document();
            change(&mut document);
            Baseline::read(&document).unwrap_err().to_string()
        };
        let without = |pointer: &str, name: &str| {
            wrong(&|document| {
                document.pointer_mut(pointer).unwrap().as_object_mut().unwrap().remove(name);
            })
        };
        assert_eq!(without("", "aggregates"), "`/aggregates` is missing");
        assert_eq!(without("/cases/1", "wall_ms"), "`/cases/1/wall_ms` is missing");
        assert_eq!(
            wrong(&|document| document["cases"][0]["status"] = json!("passed")),
            "`/cases/0/status` must be pass, fail, error or skipped, found the string `passed`"
        );
        assert_eq!(
            Baseline::parse(b"{}").unwrap_err().to_string(),
            "`/schema_version` is missing; `/run` is missing; `/suite` is missing; and 2 more"
        );
        assert!(Baseline::parse(b"[").unwrap_err().to_string().starts_with("it is not JSON: EOF"));
        assert!(Baseline::parse(b"[]").is_err());
    }

    #[test]
    fn subset_has_its_own_aggregates() {
        let part = Baseline::read(&document()).unwrap().only(&BTreeSet::from(["a", "c"]));
        assert_eq!((part.cases.len(), part.pass_rate, part.wall_ms_mean), (1, 1.0, Some(10.0)));
        let nothing = part.only(&BTreeSet::new());
        assert_eq!((nothing.pass_rate, nothing.wall_ms_p95), (0.0, None));
    }
}
