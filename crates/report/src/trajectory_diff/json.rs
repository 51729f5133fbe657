//! The differences as JSON.

use agentci_trajectory::{CaseDiff, CaseResult, DiffRow, PartValue, RowRole, RunKind, TrajectoryStep};
use serde_json::{Map, Value, json};

use super::{DiffDocument, DiffOrigin};
use crate::json_object::object;

/// The differences as a JSON document. Steps that are equal have no content.
pub fn diff_json(document: &DiffDocument<'_>) -> Value {
    let diff = &document.diff;
    json!({
        "schema_version": 1,
        "old": origin(&document.old, diff.suites[0]),
        "new": origin(&document.new, diff.suites[1]),
        "differs": document.differs(),
        "cases_total": diff.cases.len(),
        "cases_different": document.differing(),
        "repeated": diff.repeated,
        "prompts_changed": document.prompts,
        "cases": diff.cases.iter().map(case).collect::<Vec<_>>(),
        "not_compared": diff.not_compared,
        "values_ignored": diff.ignored(),
    })
}

fn origin(origin: &DiffOrigin, suite: &str) -> Value {
    let kind = match origin.kind {
        RunKind::Run => "run",
        RunKind::Baseline => "baseline",
    };
    json!({ "path": origin.path, "kind": kind, "suite": suite })
}

fn case(case: &CaseDiff<'_>) -> Value {
    json!({
        "id": case.id,
        "differs": case.differs(),
        "old": case.old.as_ref().map(result),
        "new": case.new.as_ref().map(result),
        "delta": case.old.as_ref().zip(case.new.as_ref()).map(|(old, new)| delta(old, new)),
        "runs_compared": case.compared,
        "runs_different": case.differing,
        "shapes": case.shapes,
        "steps_compared": !case.unknown_steps,
        "first_divergence": case.first,
        "steps": case.rows.iter().map(row).collect::<Vec<_>>(),
        "values_ignored": case.ignored,
    })
}

fn result(result: &CaseResult) -> Value {
    json!({
        "runs": result.runs,
        "passes": result.passes,
        "attempt": result.attempt,
        "status": result.status,
        "cause": result.cause,
        "wall_ms": result.wall_ms,
        "tokens_in": result.usage.tokens_in,
        "tokens_out": result.usage.tokens_out,
        "cost_usd": result.usage.cost_usd,
    })
}

/// New minus old, as far as both are known.
fn delta(old: &CaseResult, new: &CaseResult) -> Value {
    let less = |old: Option<f64>, new: Option<f64>| old.zip(new).map(|(old, new)| new - old);
    let count = |old: Option<u64>, new: Option<u64>| {
        old.zip(new).map(|(old, new)| i128::from(new) - i128::from(old)).and_then(|delta| i64::try_from(delta).ok())
    };
    json!({
        "wall_ms": less(old.wall_ms, new.wall_ms),
        "tokens_in": count(old.usage.tokens_in, new.usage.tokens_in),
        "tokens_out": count(old.usage.tokens_out, new.usage.tokens_out),
        "cost_usd": less(old.usage.cost_usd, new.usage.cost_usd),
    })
}

fn row(row: &DiffRow<'_>) -> Value {
    let (change, own) = match (row.old, row.new) {
        (Some(step), None) => ("removed", Some(step)),
        (None, Some(step)) => ("added", Some(step)),
        _ if row.changes.is_empty() => ("same", None),
        _ => ("changed", None),
    };
    let (role, follows) = match row.role {
        RowRole::Same => (None, None),
        RowRole::First => (Some("first_divergence"), None),
        RowRole::Follows(at) => (Some("follows"), Some(at)),
        RowRole::After => (Some("after"), None),
    };
    let ms = |step: Option<&TrajectoryStep>| step.and_then(|step| step.ms).map(Value::from);
    let fields = object([
        ("kind", row.step().map(|step| json!(step.kind))),
        ("name", row.step().map(|step| json!(step.name))),
        ("old", row.old_number.map(Value::from)),
        ("new", row.new_number.map(Value::from)),
        ("change", Some(change.into())),
        ("role", role.map(Value::from)),
        ("follows", follows.map(Value::from)),
        ("old_ms", ms(row.old)),
        ("new_ms", ms(row.new)),
        ("changes", (!row.changes.is_empty()).then(|| json!(row.changes))),
        ("content", own.map(content)),
    ]);
    Value::Object(fields)
}

/// The parts of a step by name.
fn content(step: &TrajectoryStep) -> Value {
    let parts = step.parts.iter().map(|part| {
        let value = match &part.value {
            PartValue::Known(value) => value.clone(),
            PartValue::Fingerprint(hash) => json!({ "fingerprint": hash }),
        };
        (part.kind.name().replace(' ', "_"), value)
    });
    Value::Object(parts.collect::<Map<_, _>>())
}
