//! All that the page's script gets of a case beside its row.
//!
//! ```json
//! {"number":2,"description":"...","place":{...},"runs":3,"ends":[{"status":"fail","wall_ms":12,"findings":[...]}],
//!  "stability":{"runs":3,"passed":2,"pass_rate":66.6,"stability_class":"unstable","avg_duration_ms":10.3},
//!  "baseline":{"status":"pass","step":2,"before":[...],"after":[...]},"attempts":[{"number":1,"checks":...,"steps":...}]}
//! ```
//!
//! (Shortened.) `ends` has every run, `attempts` those whose steps were kept.

use std::sync::Arc;

use agentci_trace::Usage;
use agentci_verdict::{CaseEnd, CaseRow, ReplaySource, Stability};
use serde_json::{Map, Value, json};

use super::baseline::Departure;
use super::finding::{FINDINGS, spot, told};
use super::step::StepValue;
use crate::json_object::{list, object};
use crate::{cut, decisive_attempt};

/// How many warnings of a run are kept.
const WARNINGS: usize = 20;
/// How many runs of a case are listed.
const RUNS: usize = 100;
/// The longest text about a case.
const LIMIT: usize = 4 * 1024;
/// How many tags and tools are named.
const NAMED: usize = 50;

/// A case, without the steps of its attempts.
pub(super) fn detail(row: &CaseRow, baseline: Option<&Departure<'_>>) -> Map<String, Value> {
    let end = row.decisive();
    let tools: Vec<_> =
        end.metrics.tool_calls_by_name.iter().take(NAMED).map(|(tool, count)| (head(tool), count)).collect();
    // What its file says of it beside what is asked.
    let notes = [("Expected", &end.expected), ("Metadata", &end.metadata)];
    let notes: Vec<StepValue> =
        notes.into_iter().filter_map(|(label, value)| Some(StepValue::of(label, value.as_ref()?, LIMIT))).collect();
    // Steps are compared where there is something to compare them with.
    let run = |end: &Arc<CaseEnd>| ended(end, end.runs > 1 || baseline.is_some());
    object([
        ("number", Some((end.index + 1).into())),
        ("description", end.description.as_deref().and_then(text)),
        ("place", end.place.as_ref().map(spot)),
        ("tags", list(&end.tags.iter().take(NAMED).map(|tag| head(tag)).collect::<Vec<_>>())),
        ("cassette", end.replay.as_deref().map(cassette)),
        ("tools", list(&tools)),
        ("notes", list(&notes)),
        ("runs", Some(end.runs.into())),
        ("decisive", Some(decisive_attempt(row).into())),
        ("ends", Some(row.attempts.iter().take(RUNS).map(run).collect())),
        ("stability", Stability::of_several(row).map(|stability| json!(stability))),
        ("baseline", baseline.map(|baseline| json!(baseline))),
    ])
}

fn cassette(replay: &ReplaySource) -> Value {
    let unused = replay.unused_lines.get(..NAMED).unwrap_or(&replay.unused_lines);
    Value::Object(object([("path", Some(head(&replay.cassette_path).into())), ("unused", list(unused))]))
}

/// How a run of the case ended.
fn ended(end: &CaseEnd, with_calls: bool) -> Value {
    let CaseEnd { metrics, findings, .. } = end;
    let calls = metrics.steps.get(..NAMED).unwrap_or(&metrics.steps);
    let lives = end.calls.iter().take(NAMED).map(|call| format!("{}: {}", head(&call.tool), call.words()));
    Value::Object(object([
        ("status", Some(json!(end.status))),
        ("cause", end.cause.map(|cause| cause.name().into())),
        ("wall_ms", Some(end.wall_ms.into())),
        ("tool_calls", Some(metrics.tool_calls.into())),
        ("tool_errors", Some(metrics.tool_errors.into())),
        ("model_calls", metrics.model_calls.map(Value::from)),
        ("usage", (metrics.usage != Usage::default()).then(|| json!(metrics.usage))),
        ("calls", list(calls).filter(|_| with_calls)),
        ("findings", list(&findings.iter().take(FINDINGS).map(told).collect::<Vec<_>>())),
        ("findings_left_out", Some(findings.len().saturating_sub(FINDINGS).into())),
        ("stderr", text(cut::tail(&end.stderr_tail.join("\n"), LIMIT).0)),
        ("skip_reason", end.skip_reason.as_deref().and_then(text)),
        ("warnings", list(&end.warnings.iter().take(WARNINGS).map(|warning| head(warning)).collect::<Vec<_>>())),
        // What was observed of its tool calls.
        ("lives", list(&lives.collect::<Vec<_>>())),
    ]))
}

/// A text, unless it is empty.
fn text(text: &str) -> Option<Value> {
    (!text.is_empty()).then(|| head(text).into())
}

fn head(text: &str) -> &str {
    cut::head(text, LIMIT).0
}
