//! What the summary has of a case.

use agentci_verdict::{CaseHistory, CaseRow, CaseStatus, Cause, Finding, Measure, Stability};
use serde_json::{Value, json};

use crate::findings;
use crate::json_object::{self, list};

/// The object of a case.
pub(super) fn object(row: &CaseRow) -> Value {
    let end = row.decisive();
    let (metrics, usage, history) = (&end.metrics, &end.metrics.usage, CaseHistory::of(row));
    let (measure, stability) = (Measure::of(end), Stability::of_several(row));
    let replay = end.replay.as_ref();
    let mut case = json!({
        "assertions": { "failed": end.assertions.failed, "total": end.assertions.total },
        "cause": end.cause.map(Cause::name),
        "cost_usd": usage.cost_usd,
        "failed_assertions": failed_assertions(&end.findings),
        "failure_reason": failure_reason(row),
        "findings": end.findings,
        "history": { "passes": history.passes, "runs": history.runs },
        "id": row.id(),
        "model_calls": metrics.model_calls,
        "replay": {
            "cassette_path": replay.map(|replay| &replay.cassette_path),
            "cassette_sha256": replay.map(|replay| &replay.cassette_sha256),
            "unused_lines": replay.map(|replay| &replay.unused_lines),
        },
        "status": end.status.name(),
        "steps": null,
        "tokens_in": usage.tokens_in,
        "tokens_out": usage.tokens_out,
        "tool_calls": metrics.tool_calls,
        "tool_calls_by_name": metrics.tool_calls_by_name,
        "tool_errors": metrics.tool_errors,
        "tool_errors_by_name": metrics.tool_errors_by_name,
        "tool_steps": metrics.steps,
        "wall_ms": end.wall_ms,
    });
    let optional = json_object::object([
        ("asked", row.asked().map(|asked| json!(asked))),
        ("calls", list(&end.calls)),
        ("description", end.description.as_ref().map(|description| json!(description))),
        ("embedder", measure.as_ref().map(|measure| json!(measure.embedder))),
        ("matched", replay.and_then(|replay| replay.matched.as_ref()).map(|matched| json!(matched))),
        ("no_agent", end.no_agent.then(|| json!(true))),
        ("played", row.played().map(|played| json!(played))),
        ("runs", stability.as_ref().map(|_| runs(row))),
        ("similarities", list(&end.similarities)),
        ("similarity", measure.as_ref().map(|measure| json!(measure.similarity))),
        ("skip_reason", end.skip_reason.as_ref().map(|reason| json!(reason))),
        ("stability", stability.as_ref().map(|stability| json!(stability))),
        ("stderr_tail", list(&end.stderr_tail)),
        ("tags", list(&end.tags)),
        ("warnings", list(&end.warnings)),
    ]);
    for (name, value) in optional {
        case[name] = value;
    }
    case
}

/// How each run of a case ended that was run more than once.
fn runs(row: &CaseRow) -> Value {
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
fn failure_reason(row: &CaseRow) -> Option<&str> {
    let end = row.decisive();
    if matches!(end.status, CaseStatus::Pass | CaseStatus::Skipped) {
        return None;
    }
    findings::decisive(end).map(|finding| finding.message.as_str())
}

fn failed_assertions(findings: &[Finding]) -> Option<Value> {
    let failed: Vec<Value> = findings
        .iter()
        .filter(|finding| finding.cause == Cause::Check)
        .map(|finding| json!({ "type": finding.name, "message": finding.message }))
        .collect();
    list(&failed)
}
