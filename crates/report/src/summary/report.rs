//! The summary document.

use std::io::{self, Write};

use agentci_verdict::{Aggregates, SCHEMA_VERSION, STEPS_RULE, Spread, iso_utc};
use serde::{Serialize, Serializer};
use serde_json::{Value, json};

use super::case::SummaryCase;
use crate::failures::{self, FailureGroup};
use crate::{DocumentReport, ReportedRun, RowRef, RunDocument, RunRows, agents, gates, matrix, recheck, write_json};

/// The version of `RunLedger` that these fields correspond to: it rejects baselines without one.
pub const RUNLEDGER_VERSION: &str = "0.2.3";

/// Writes `summary.json`, one document per run.
pub type Summary = DocumentReport<SummaryDocument>;

/// The summary of a run.
#[derive(Debug, Default)]
pub struct SummaryDocument;

impl RunDocument for SummaryDocument {
    const REPORT: &'static str = "summary";

    fn write(&mut self, runs: &[ReportedRun], out: &mut dyn Write) -> io::Result<()> {
        runs.iter().try_for_each(|run| write_json(out, &SummaryJson::of(run)))
    }
}

#[derive(Serialize)]
struct SummaryJson<'r> {
    agentci_version: &'r str,
    aggregates: Value,
    cases: SummaryCases<'r>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    failure_groups: Vec<SummaryGroup<'r>>,
    generated_at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    matrix: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    policy_snapshot: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    prompts: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    recheck: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    regression: Option<Value>,
    run: Value,
    runledger_version: &'static str,
    schema_version: u64,
    suite: Value,
}

/// Cases that did not pass for the same reason.
#[derive(Serialize)]
struct SummaryGroup<'r> {
    cases: Vec<&'r str>,
    title: String,
}

impl<'r> SummaryGroup<'r> {
    fn of(group: FailureGroup<'r>) -> Self {
        Self { cases: group.rows.iter().map(|row| row.id()).collect(), title: group.title }
    }
}

/// Serializes cases one after another: all of them at once would take several times the memory of their source.
struct SummaryCases<'r>(&'r RunRows);

impl Serialize for SummaryCases<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.by_id().map(SummaryRow))
    }
}

/// Serializes a row.
struct SummaryRow<'r>(RowRef<'r>);

impl Serialize for SummaryRow<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        SummaryCase::of(&self.0).serialize(serializer)
    }
}

impl<'r> SummaryJson<'r> {
    fn of(run: &'r ReportedRun) -> Self {
        let numbers = run.rows.tally().aggregates();
        Self {
            agentci_version: &run.start.agentci_version,
            aggregates: sorted(aggregates(&numbers, run)),
            cases: SummaryCases(&run.rows),
            failure_groups: failures::of(run).into_iter().map(SummaryGroup::of).collect(),
            generated_at: iso_utc(run.last_seen),
            matrix: matrix::document(run).map(sorted),
            policy_snapshot: run.gates.as_ref().map(|report| sorted(gates::policy_snapshot(report))),
            prompts: run.rows.prompts().map(sorted),
            recheck: recheck::document(run).map(sorted),
            regression: run.gates.as_ref().map(|report| sorted(gates::regression(report))),
            run: sorted(run_facts(&numbers, run)),
            runledger_version: RUNLEDGER_VERSION,
            schema_version: SCHEMA_VERSION,
            suite: sorted(suite_facts(run)),
        }
    }
}

/// A value with sorted keys.
pub(super) fn sorted(value: impl Serialize) -> Value {
    let mut value = serde_json::to_value(value).expect("what is reported has a form in JSON");
    value.sort_all_objects();
    value
}

fn run_facts(numbers: &Aggregates, run: &ReportedRun) -> Value {
    let end = run.end();
    let (interrupted, is_cut) = (end.interrupted, end.ceiling.is_some() || end.unfinished > 0);
    let exit_status =
        if run.held_to_cases() && numbers.cases_error > 0 || interrupted || run.lacks_something() || is_cut {
            "error"
        } else if run.held_to_cases() && numbers.cases_fail > 0 || run.gates_failed() || run.lacks_agent() {
            "failed"
        } else {
            "success"
        };
    let mut facts = json!({
        "run_id": run.start.run_id,
        "mode": run.start.mode,
        "exit_status": exit_status,
        "git_sha": run.start.git_sha,
        "ci": null,
        "interrupted": interrupted,
        "agents": agents::sentence(run.rows.tally().agentless),
        "require_agent": run.start.require_agent,
    });
    if let Some(ceiling) = end.ceiling {
        facts["ceiling"] = json!(ceiling);
    }
    if let Some(resumed) = &run.start.resumed {
        facts["resumed"] = json!(resumed);
    }
    facts
}

fn suite_facts(run: &ReportedRun) -> Value {
    json!({
        "name": run.suite,
        "suite_path": run.start.suite_path,
        "agent_command": run.start.agent_command,
        "tool_mode": run.start.mode,
        "tool_steps_rule": STEPS_RULE,
        "dialect": run.start.dialect,
        "suite_config_hash": null,
        "cases_total": run.start.cases_total,
        "cases_left_out": run.start.cases_left_out,
    })
}

fn aggregates(numbers: &Aggregates, run: &ReportedRun) -> Value {
    let end = run.end();
    let agentless = run.rows.tally().agentless;
    let mut aggregates = json!({
        "cases_total": numbers.cases_total,
        "cases_pass": numbers.cases_pass,
        "cases_fail": numbers.cases_fail,
        "cases_error": numbers.cases_error,
        "cases_skipped": numbers.cases_skipped,
        "cases_not_run": end.not_run,
        "cases_played": agentless.played,
        "cases_without_agent": agentless.without,
        "pass_rate": numbers.pass_rate,
        "success_rate": numbers.pass_rate,
        "tool_calls": numbers.tool_calls,
        "tool_errors": numbers.tool_errors,
        "model_calls": numbers.model_calls,
        "suite_wall_ms": end.wall_ms,
        "metrics": {
            "wall_ms": spread(numbers.wall_ms),
            "tool_calls": spread(numbers.tool_calls_per_case),
            "tool_errors": spread(numbers.tool_errors_per_case),
            "model_calls": spread(numbers.model_calls_per_case),
            "tokens_in": spread(numbers.tokens_in),
            "tokens_out": spread(numbers.tokens_out),
            "cost_usd": spread(numbers.cost_usd),
            "steps": spread(None),
        },
    });
    let scores = run.rows.tally().scores.summaries();
    if !scores.is_empty() {
        aggregates["scores"] = json!(scores);
    }
    if let Some(stability) = run.rows.stability() {
        aggregates["stability"] = json!(stability);
    }
    if end.unfinished > 0 {
        aggregates["cases_unfinished"] = json!(end.unfinished);
    }
    if end.unobserved_cost > 0 {
        aggregates["runs_of_unknown_cost"] = json!(end.unobserved_cost);
    }
    aggregates
}

fn spread(spread: Option<Spread>) -> Value {
    let unknown = || json!({ "min": null, "p50": null, "p95": null, "mean": null, "max": null });
    spread.map_or_else(unknown, |spread| json!(spread))
}
