//! What the summary has of a case.

use agentci_verdict::{Cause, Finding, History, Measure, Row, Stability, Status, Step};
use serde_json::{Result, Value, json};

use super::pretty::{Object, Small};
use crate::findings;

/// Writes the object of a case; its fields are in the order of their names.
pub(super) fn write(row: &Row, out: &mut Vec<u8>) -> Result<()> {
    let end = row.decisive();
    let (metrics, usage) = (&end.metrics, &end.metrics.usage);
    let (measure, stability) = (Measure::of(end), Stability::of_several(row));
    let failed = failed_assertions(&end.findings);
    let mut case = Object::begin(out);
    if let Some(asked) = row.asked() {
        case.any("asked", asked)?;
    }
    case.small("assertions", [("failed", &count(end.assertions.failed)), ("total", &count(end.assertions.total))])?;
    if !end.calls.is_empty() {
        case.any("calls", &end.calls)?;
    }
    case.plain("cause", end.cause.map(Cause::name))?;
    case.plain("cost_usd", usage.cost_usd)?;
    case.plain_if_any("description", end.description.as_ref())?;
    case.plain_if_any("embedder", measure.as_ref().map(|measure| &measure.embedder))?;
    case.often_empty("failed_assertions", failed.is_none().then_some("null"), &failed)?;
    case.plain("failure_reason", failure_reason(row))?;
    case.often_empty("findings", nothing(&end.findings), &end.findings)?;
    let history = History::of(row);
    case.small("history", [("passes", &history.passes), ("runs", &history.runs)])?;
    case.plain("id", row.id())?;
    if let Some(matched) = end.replay.as_ref().and_then(|replay| replay.matched.as_ref()) {
        case.any("matched", matched)?;
    }
    case.plain("model_calls", metrics.model_calls)?;
    if end.no_agent {
        case.plain("no_agent", true)?;
    }
    if let Some(played) = row.played() {
        case.any("played", played)?;
    }
    replay(row, &mut case)?;
    if stability.is_some() {
        case.any("runs", runs(row))?;
    }
    if !end.similarities.is_empty() {
        case.any("similarities", &end.similarities)?;
    }
    case.plain_if_any("similarity", measure.as_ref().map(|measure| measure.similarity))?;
    case.plain_if_any("skip_reason", end.skip_reason.as_ref())?;
    if let Some(stability) = &stability {
        case.any("stability", stability)?;
    }
    case.plain("status", end.status.name())?;
    if !end.stderr_tail.is_empty() {
        case.any("stderr_tail", &end.stderr_tail)?;
    }
    case.plain("steps", ())?;
    if !end.tags.is_empty() {
        case.any("tags", &end.tags)?;
    }
    case.plain("tokens_in", usage.tokens_in)?;
    case.plain("tokens_out", usage.tokens_out)?;
    case.plain("tool_calls", metrics.tool_calls)?;
    case.counts("tool_calls_by_name", &metrics.tool_calls_by_name)?;
    case.plain("tool_errors", metrics.tool_errors)?;
    case.counts("tool_errors_by_name", &metrics.tool_errors_by_name)?;
    let steps = metrics.steps.iter().map(|step| {
        let Step { tool, args_hash, args, only_answered, within } = step;
        let args = args.iter().map(|args| ("args", args as &dyn Small));
        let fields = args.chain([("args_hash", args_hash as &dyn Small)]);
        let fields = fields.chain(only_answered.then_some(("only_answered", only_answered as &dyn Small)));
        let fields = fields.chain([("tool", tool as &dyn Small)]);
        fields.chain(within.then_some(("within", within as &dyn Small)))
    });
    case.small_ones("tool_steps", steps)?;
    case.plain("wall_ms", end.wall_ms)?;
    if !end.warnings.is_empty() {
        case.any("warnings", &end.warnings)?;
    }
    case.end();
    Ok(())
}

fn replay(row: &Row, case: &mut Object<'_>) -> Result<()> {
    let replay = row.decisive().replay.as_ref();
    let unused: &dyn Small = &replay.map(|replay| &replay.unused_lines);
    let path: &dyn Small = &replay.map(|replay| &replay.cassette_path);
    let digest: &dyn Small = &replay.map(|replay| &replay.cassette_sha256);
    case.small("replay", [("cassette_path", path), ("cassette_sha256", digest), ("unused_lines", unused)])
}

fn count(number: usize) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}

/// How an empty list is written, if it is one.
fn nothing<T>(list: &[T]) -> Option<&'static str> {
    list.is_empty().then_some("[]")
}

/// How each run of a case ended that was run more than once.
fn runs(row: &Row) -> Value {
    let run = |(at, attempt): (usize, &std::sync::Arc<agentci_verdict::CaseEnd>)| {
        json!({
            "attempt": at + 1,
            "status": attempt.status.name(),
            "cause": attempt.cause.map(Cause::name),
            "wall_ms": attempt.wall_ms,
        })
    };
    row.attempts.iter().enumerate().map(run).collect()
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
