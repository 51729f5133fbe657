//! The records that lines and document are made of.

use agentci_verdict::{Aggregates, CaseEnd, Cause, Row, Stability, StabilitySummary, Status, iso_utc};
use serde_json::{Map, Value, json};

use super::gathered::{Given, Told};
use crate::run::Run;

/// How an attempt ended, in the words of the dialect.
pub(super) fn status(end: &CaseEnd) -> &'static str {
    match (end.status, end.cause) {
        (Status::Pass, _) => "passed",
        (Status::Skipped, _) => "skipped",
        (Status::Fail, _) => "failed",
        (Status::Error, Some(Cause::Timeout)) => "timeout",
        (Status::Error, _) => "error",
    }
}

/// The same for a case: one that is run more than once has passed only if it is stable, and has failed otherwise.
pub(super) fn case_status(row: &Row) -> &'static str {
    match Stability::of_several(row) {
        Some(stability) if stability.stable => "passed",
        Some(_) => "failed",
        None => status(row.decisive()),
    }
}

/// Everything that kept an attempt from passing, in one text.
pub(super) fn error(end: &CaseEnd) -> Option<String> {
    let messages: Vec<&str> = end.findings.iter().map(|finding| finding.message.as_str()).collect();
    match (end.status, messages.is_empty()) {
        (Status::Pass | Status::Skipped, _) => None,
        (_, true) => Some("no reason was recorded".to_owned()),
        (_, false) => Some(messages.join("; ")),
    }
}

/// The name of the agent, or of the suite where it has none.
pub(super) fn agent(run: &Run) -> &str {
    run.start.agent.as_deref().unwrap_or(&run.suite)
}

/// The first line.
pub(super) fn start(run: &Run) -> Value {
    json!({
        "type": "start",
        "timestamp": iso_utc(run.begun()),
        "agent_id": agent(run),
        "total_cases": run.start.cases_total,
    })
}

/// The line of a case.
pub(super) fn line(told: Told<'_>) -> Value {
    let mut line = Map::new();
    let Some(stability) = Stability::of_several(told.row) else {
        line.insert("type".into(), "result".into());
        line.insert("id".into(), (told.row.id()).into());
        ended(told.row.decisive(), told.given.first(), &mut line);
        return line.into();
    };
    line.insert("type".into(), "stability".into());
    line.insert("id".into(), (told.row.id()).into());
    measured(&stability, &mut line);
    line.into()
}

/// The last line, and the summary of the document.
pub(super) fn summary(run: &Run) -> Map<String, Value> {
    let numbers = Aggregates::of(&run.rows);
    let count = |word: &str| run.rows.iter().filter(|row| case_status(row) == word).count();
    let mut summary = Map::new();
    summary.insert("total".into(), run.start.cases_total.max(run.rows.len()).into());
    summary.insert("passed".into(), count("passed").into());
    summary.insert("failed".into(), count("failed").into());
    summary.insert("skipped".into(), numbers.cases_skipped.into());
    summary.insert("errors".into(), count("error").into());
    summary.insert("timeouts".into(), count("timeout").into());
    summary.insert("duration_ms".into(), run.end().wall_ms.into());
    if let Some(stability) = StabilitySummary::of_several(&run.rows) {
        if let Some(runs) = stability.runs_per_case {
            summary.insert("runs_per_case".into(), runs.into());
        }
        summary.insert("total_runs".into(), stability.total_runs.into());
        summary.insert("overall_pass_rate".into(), stability.overall_pass_rate.into());
        summary.insert("stable_cases".into(), stability.stable_cases.into());
        summary.insert("unstable_cases".into(), stability.unstable_cases.into());
    }
    summary
}

/// A case in the document.
pub(super) fn result(told: Told<'_>) -> Value {
    let Told { row, given } = told;
    let end = row.decisive();
    let mut result = Map::new();
    result.insert("id".into(), (row.id()).into());
    result.insert("status".into(), case_status(row).into());
    result.insert("input".into(), input(end, given).clone());
    let several = Stability::of_several(row);
    match &several {
        None => {
            ended(end, given.first(), &mut result);
            let rate = if matches!(end.status, Status::Pass | Status::Skipped) { 100.0 } else { 0.0 };
            result.insert("pass_rate".into(), rate.into());
        }
        Some(stability) => {
            measured(stability, &mut result);
            result.insert("consistency".into(), (stability.pass_rate / 100.0).into());
        }
    }
    if let Some(expected) = end.expected.as_deref() {
        result.insert("expected".into(), expected.clone());
    }
    if let Some(metadata) = end.metadata.as_deref() {
        result.insert("metadata".into(), metadata.clone());
    }
    if several.is_some() {
        result.insert("run_details".into(), runs(told).into());
    }
    result.into()
}

/// What the case asks, as its file has it.
pub(super) fn input<'t>(end: &'t CaseEnd, given: &'t [Given]) -> &'t Value {
    end.input.as_deref().or(given.first().map(|given| &*given.input)).unwrap_or(&Value::Null)
}

fn runs(told: Told<'_>) -> Vec<Value> {
    let attempt = |(at, end): (usize, &std::sync::Arc<CaseEnd>)| {
        let mut run = Map::new();
        run.insert("run".into(), (at + 1).into());
        ended(end, told.given.get(at), &mut run);
        run.into()
    };
    told.row.attempts.iter().enumerate().map(attempt).collect()
}

/// How an attempt ended, and what it gave.
fn ended(end: &CaseEnd, given: Option<&Given>, into: &mut Map<String, Value>) {
    into.insert("status".into(), status(end).into());
    into.insert("duration_ms".into(), end.wall_ms.into());
    if let Some(output) = given.and_then(|given| given.output.as_deref()) {
        into.insert("output".into(), output.clone());
    }
    if let Some(error) = error(end) {
        into.insert("error".into(), error.into());
    }
}

/// How much the runs of a case are alike.
fn measured(stability: &Stability, into: &mut Map<String, Value>) {
    // Numbers, a word and whether it holds always have a form in JSON.
    if let Ok(Value::Object(numbers)) = serde_json::to_value(stability) {
        into.extend(numbers);
    }
}
