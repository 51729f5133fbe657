//! The records of the lines and the document.

use agentci_verdict::{CaseEnd, CaseRow, CaseStatus, Cause, Stability, iso_utc};
use serde_json::{Map, Value, json};

use super::run_rows::{AttemptData, YaoCase};
use crate::ReportedRun;
use crate::json_object::object;

/// The status of an attempt, in the terms of the dialect.
pub(super) fn status(end: &CaseEnd) -> &'static str {
    match (end.status, end.cause) {
        (CaseStatus::Pass, _) => "passed",
        (CaseStatus::Skipped, _) => "skipped",
        (CaseStatus::Fail, _) => "failed",
        (CaseStatus::Error, Some(Cause::Timeout)) => "timeout",
        (CaseStatus::Error, _) => "error",
    }
}

/// The status of a case: one that is run more than once has passed only if it is stable, and has failed otherwise.
pub(super) fn case_status(row: &CaseRow) -> &'static str {
    match Stability::of_several(row) {
        Some(stability) if stability.stable => "passed",
        Some(_) => "failed",
        None => status(row.decisive()),
    }
}

/// All reasons why an attempt did not pass, in one text.
pub(super) fn error(end: &CaseEnd) -> Option<String> {
    let messages: Vec<&str> = end.findings.iter().map(|finding| finding.message.as_str()).collect();
    match (end.status, messages.is_empty()) {
        (CaseStatus::Pass | CaseStatus::Skipped, _) => None,
        (_, true) => Some("no reason was recorded".to_owned()),
        (_, false) => Some(messages.join("; ")),
    }
}

/// The name of the agent, or of the suite if it has none.
pub(super) fn agent(run: &ReportedRun) -> &str {
    run.start.agent.as_deref().unwrap_or(&run.suite)
}

/// The first line.
pub(super) fn start(run: &ReportedRun) -> Value {
    json!({
        "type": "start",
        "timestamp": iso_utc(run.begun()),
        "agent_id": agent(run),
        "total_cases": run.start.cases_total,
    })
}

pub(super) fn line(told: YaoCase<'_>) -> Value {
    let id = told.row.id().into();
    let (kind, fields) = match Stability::of_several(told.row) {
        None => ("result", ended(told.row.decisive(), told.given.first())),
        Some(stability) => ("stability", measured(&stability)),
    };
    object([("type", Some(kind.into())), ("id", Some(id))]).into_iter().chain(fields).collect()
}

/// The last line, and the summary of the document.
pub(super) fn summary(run: &ReportedRun) -> Map<String, Value> {
    let numbers = run.rows.tally().aggregates();
    let count = |word: &str| run.rows.kept().filter(|row| case_status(row) == word).count();
    let stability = run.rows.stability();
    let stability = stability.as_ref();
    object([
        ("total", Some(run.start.cases_total.max(run.rows.len()).into())),
        ("passed", Some(count("passed").into())),
        ("failed", Some(count("failed").into())),
        ("skipped", Some(numbers.cases_skipped.into())),
        ("errors", Some(count("error").into())),
        ("timeouts", Some(count("timeout").into())),
        ("duration_ms", Some(run.end().wall_ms.into())),
        ("runs_per_case", stability.and_then(|stability| stability.runs_per_case).map(Value::from)),
        ("total_runs", stability.map(|stability| stability.total_runs.into())),
        ("overall_pass_rate", stability.map(|stability| stability.overall_pass_rate.into())),
        ("stable_cases", stability.map(|stability| stability.stable_cases.into())),
        ("unstable_cases", stability.map(|stability| stability.unstable_cases.into())),
    ])
}

/// A case in the document.
pub(super) fn result(told: YaoCase<'_>) -> Value {
    let YaoCase { row, given } = told;
    let end = row.decisive();
    let mut result = object([
        ("id", Some(row.id().into())),
        ("status", Some(case_status(row).into())),
        ("input", Some(input(end, given).clone())),
    ]);
    let several = Stability::of_several(row);
    match &several {
        None => {
            result.extend(ended(end, given.first()));
            let rate = if matches!(end.status, CaseStatus::Pass | CaseStatus::Skipped) { 100.0 } else { 0.0 };
            result.insert("pass_rate".into(), rate.into());
        }
        Some(stability) => {
            result.extend(measured(stability));
            result.insert("consistency".into(), (stability.pass_rate / 100.0).into());
        }
    }
    result.extend(object([
        ("expected", end.expected.as_deref().cloned()),
        ("metadata", end.metadata.as_deref().cloned()),
        ("run_details", several.map(|_| runs(told).into())),
    ]));
    result.into()
}

/// The input of the case, as written in its file.
pub(super) fn input<'t>(end: &'t CaseEnd, given: &'t [AttemptData]) -> &'t Value {
    end.input.as_deref().or(given.first().map(|given| &*given.input)).unwrap_or(&Value::Null)
}

fn runs(told: YaoCase<'_>) -> Vec<Value> {
    let attempts = told.row.attempts.iter().enumerate();
    let run =
        |at: usize, end| object([("run", Some((at + 1).into()))]).into_iter().chain(ended(end, told.given.get(at)));
    attempts.map(|(at, end)| run(at, end).collect()).collect()
}

/// The end of an attempt and its output.
fn ended(end: &CaseEnd, given: Option<&AttemptData>) -> Map<String, Value> {
    object([
        ("status", Some(status(end).into())),
        ("duration_ms", Some(end.wall_ms.into())),
        ("output", given.and_then(|given| given.output.as_deref()).cloned()),
        ("error", error(end).map(Value::from)),
    ])
}

/// The stability of a case.
fn measured(stability: &Stability) -> Map<String, Value> {
    // Numbers, strings and booleans can always be serialized.
    match serde_json::to_value(stability) {
        Ok(Value::Object(numbers)) => numbers,
        _ => Map::new(),
    }
}
