//! `summary.json`, for programs: what a baseline is made of.
//!
//! ```json
//! {
//!   "agentci_version": "0.1.0",
//!   "aggregates": { "cases_total": 2, "cases_pass": 1, "pass_rate": 0.5, "metrics": { "wall_ms": { "p95": 56.0 } } },
//!   "cases": [{ "id": "t1", "status": "pass", "wall_ms": 56, "tool_calls": 1 }],
//!   "generated_at": "2025-11-15T03:06:41.323000Z",
//!   "run": { "run_id": "20251115-030640", "mode": "replay", "exit_status": "failed" },
//!   "runledger_version": "0.2.3",
//!   "schema_version": 1,
//!   "suite": { "name": "demo", "suite_path": "evals/demo/suite.yaml", "tool_mode": "replay" }
//! }
//! ```
//!
//! (Shortened.) The field names are those of `RunLedger`, so that its baselines and tools go on working; ours stand beside them.
//! Keys are sorted and cases are ordered by id, so that two summaries can be compared line by line.

use agentci_verdict::{
    Aggregates, Body, Cause, Finding, History, Measure, Row, RunEvent, SCHEMA_VERSION, Spread, Stability,
    StabilitySummary, Status, iso_utc,
};
use serde::ser::{Serialize, Serializer};
use serde_json::{Value, json};

use crate::run::Run;
use crate::{Output, ReportError, Reporter, findings, gates};

/// The version of `RunLedger` whose fields these are: its baselines are refused without one.
pub const RUNLEDGER_VERSION: &str = "0.2.3";

/// Makes `summary.json`, one document a run.
pub struct Summary {
    output: Output,
    run: Option<Run>,
}

impl Summary {
    /// The document goes to `output` when it is complete.
    pub fn new(output: Output) -> Self {
        Self { output, run: None }
    }

    fn write(&mut self) -> Result<(), ReportError> {
        let Some(run) = self.run.take() else { return Ok(()) };
        let mut document = serde_json::to_vec_pretty(&Document::of(&run))
            .map_err(|source| ReportError::Encode { report: "summary", source })?;
        document.push(b'\n');
        (self.output)(&document).map_err(|source| ReportError::Write { report: "summary", source })
    }
}

impl Reporter for Summary {
    fn on_event(&mut self, event: &RunEvent) -> Result<(), ReportError> {
        if matches!(event.body, Body::RunStart(_)) {
            self.write()?;
        }
        self.run.get_or_insert_default().add(event);
        Ok(())
    }

    fn finish(&mut self) -> Result<(), ReportError> {
        self.write()
    }
}

/// The document; its fields are in the order of their names.
#[derive(serde::Serialize)]
struct Document<'r> {
    agentci_version: &'r str,
    aggregates: Value,
    cases: Cases<'r>,
    generated_at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    policy_snapshot: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    regression: Option<Value>,
    run: Value,
    runledger_version: &'static str,
    schema_version: u64,
    suite: Value,
}

impl<'r> Document<'r> {
    fn of(run: &'r Run) -> Self {
        let numbers = Aggregates::of(&run.rows);
        let mut rows: Vec<&Row> = run.rows.iter().collect();
        rows.sort_by(|one, other| one.id.cmp(&other.id));
        Self {
            agentci_version: &run.start.agentci_version,
            aggregates: sorted(aggregates(&numbers, run)),
            cases: Cases(rows),
            generated_at: iso_utc(run.last_seen),
            policy_snapshot: run.gates.as_ref().map(|report| sorted(gates::policy_snapshot(report))),
            regression: run.gates.as_ref().map(|report| sorted(gates::regression(report))),
            run: sorted(run_facts(&numbers, run)),
            runledger_version: RUNLEDGER_VERSION,
            schema_version: SCHEMA_VERSION,
            suite: sorted(suite_facts(run)),
        }
    }
}

/// Makes the case objects one after another: all of them at once would take several times the memory of the rows.
struct Cases<'r>(Vec<&'r Row>);

impl Serialize for Cases<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(|row| sorted(case(row))))
    }
}

fn sorted(mut value: Value) -> Value {
    value.sort_all_objects();
    value
}

fn run_facts(numbers: &Aggregates, run: &Run) -> Value {
    let interrupted = run.end().interrupted;
    let exit_status = if numbers.cases_error > 0 || interrupted {
        "error"
    } else if numbers.cases_fail > 0 || run.gates_failed() {
        "failed"
    } else {
        "success"
    };
    json!({
        "run_id": run.start.run_id,
        "mode": run.start.mode,
        "exit_status": exit_status,
        "git_sha": run.start.git_sha,
        "ci": null,
        "interrupted": interrupted,
    })
}

fn suite_facts(run: &Run) -> Value {
    json!({
        "name": run.suite,
        "suite_path": run.start.suite_path,
        "agent_command": run.start.agent_command,
        "tool_mode": run.start.mode,
        "dialect": run.start.dialect,
        "suite_config_hash": null,
        "cases_total": run.start.cases_total,
        "cases_left_out": run.start.cases_left_out,
    })
}

fn aggregates(numbers: &Aggregates, run: &Run) -> Value {
    let end = run.end();
    let mut aggregates = json!({
        "cases_total": numbers.cases_total,
        "cases_pass": numbers.cases_pass,
        "cases_fail": numbers.cases_fail,
        "cases_error": numbers.cases_error,
        "cases_skipped": numbers.cases_skipped,
        "cases_not_run": end.not_run,
        "pass_rate": numbers.pass_rate,
        "success_rate": numbers.pass_rate,
        "tool_calls": numbers.tool_calls,
        "tool_errors": numbers.tool_errors,
        "suite_wall_ms": end.wall_ms,
        "metrics": {
            "wall_ms": spread(numbers.wall_ms),
            "tool_calls": spread(numbers.tool_calls_per_case),
            "tool_errors": spread(numbers.tool_errors_per_case),
            "tokens_in": spread(numbers.tokens_in),
            "tokens_out": spread(numbers.tokens_out),
            "cost_usd": spread(numbers.cost_usd),
            "steps": spread(None),
        },
    });
    if let Some(stability) = StabilitySummary::of_several(&run.rows) {
        aggregates["stability"] = json!(stability);
    }
    aggregates
}

fn spread(spread: Option<Spread>) -> Value {
    json!({
        "min": spread.map(|spread| spread.min),
        "p50": spread.map(|spread| spread.p50),
        "p95": spread.map(|spread| spread.p95),
        "mean": spread.map(|spread| spread.mean),
        "max": spread.map(|spread| spread.max),
    })
}

fn case(row: &Row) -> Value {
    let end = row.decisive();
    let usage = &end.metrics.usage;
    let replay = end.replay.as_ref();
    let mut case = json!({
        "id": row.id,
        "status": end.status.name(),
        "cause": end.cause.map(Cause::name),
        "wall_ms": end.wall_ms,
        "tool_calls": end.metrics.tool_calls,
        "tool_errors": end.metrics.tool_errors,
        "tokens_in": usage.tokens_in,
        "tokens_out": usage.tokens_out,
        "cost_usd": usage.cost_usd,
        "steps": null,
        "tool_calls_by_name": end.metrics.tool_calls_by_name,
        "tool_errors_by_name": end.metrics.tool_errors_by_name,
        "tool_steps": end.metrics.steps,
        "history": History::of(row),
        "replay": {
            "cassette_path": replay.map(|replay| &replay.cassette_path),
            "cassette_sha256": replay.map(|replay| &replay.cassette_sha256),
            "unused_lines": replay.map(|replay| &replay.unused_lines),
        },
        "assertions": end.assertions,
        "failure_reason": failure_reason(row),
        "failed_assertions": failed_assertions(&end.findings),
        "findings": end.findings,
    });
    if let Some(description) = &end.description {
        case["description"] = json!(description);
    }
    if !end.tags.is_empty() {
        case["tags"] = json!(end.tags);
    }
    if let Some(reason) = &end.skip_reason {
        case["skip_reason"] = json!(reason);
    }
    if !end.warnings.is_empty() {
        case["warnings"] = json!(end.warnings);
    }
    if let Some(measure) = Measure::of(end) {
        case["similarity"] = json!(measure.similarity);
        case["embedder"] = json!(measure.embedder);
    }
    if !end.similarities.is_empty() {
        case["similarities"] = json!(end.similarities);
    }
    if let Some(stability) = Stability::of_several(row) {
        case["stability"] = json!(stability);
        case["runs"] = row
            .attempts
            .iter()
            .enumerate()
            .map(|(at, attempt)| {
                json!({
                    "attempt": at + 1,
                    "status": attempt.status.name(),
                    "cause": attempt.cause.map(Cause::name),
                    "wall_ms": attempt.wall_ms,
                })
            })
            .collect();
    }
    case
}

/// The message of the finding that decided.
fn failure_reason(row: &Row) -> Option<&str> {
    let end = row.decisive();
    if matches!(end.status, Status::Pass | Status::Skipped) {
        return None;
    }
    findings::decisive(end).map(|finding| finding.message.as_str())
}

fn failed_assertions(findings: &[Finding]) -> Option<Vec<Value>> {
    let failed: Vec<Value> = findings
        .iter()
        .filter(|finding| finding.cause == Cause::Check)
        .map(|finding| json!({ "type": finding.name, "message": finding.message }))
        .collect();
    (!failed.is_empty()).then_some(failed)
}
