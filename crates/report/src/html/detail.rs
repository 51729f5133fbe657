//! The details of a case for the page's script.
//!
//! ```json
//! {"number":2,"description":"...","place":{...},"runs":3,"ends":[{"status":"fail","wall_ms":12,"findings":[...]}],
//!  "stability":{"runs":3,"passed":2,"pass_rate":66.7,"stability_class":"unstable","avg_duration_ms":10.3},
//!  "baseline":{"status":"pass","step":2,"before":[...],"after":[...]},"attempts":[{"number":1,"checks":...,"steps":...}]}
//! ```
//!
//! (Shortened.) `ends` contains every run, `attempts` only those whose steps were kept.

use agentci_trace::Usage;
use agentci_verdict::{CallStep, CaseEnd, CaseRow, CaseStatus, Cause, ReplaySource, Stability};
use serde::Serialize;
use serde_json::Value;

use super::baseline::Departure;
use super::finding::{FINDINGS, PageFinding, PagePlace};
use super::step::StepValue;
use crate::{cut, decisive_attempt};

/// The maximum number of warnings of a run that are kept.
const WARNINGS: usize = 20;
/// The maximum number of runs of a case that are listed.
const RUNS: usize = 100;
/// The maximum length of a text about a case.
const LIMIT: usize = 4 * 1024;
/// The maximum number of tags and tools that are named.
const NAMED: usize = 50;

/// A case, without the steps of its attempts.
#[derive(Serialize)]
pub(super) struct CaseDetail<'r> {
    number: usize,
    #[serde(skip_serializing_if = "str::is_empty")]
    description: &'r str,
    #[serde(skip_serializing_if = "Option::is_none")]
    place: Option<PagePlace<'r>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tags: Vec<&'r str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cassette: Option<PageCassette<'r>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<(&'r str, u64)>,
    /// Further fields of the case file.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<StepValue>,
    runs: u32,
    decisive: usize,
    ends: Vec<PageEnd<'r>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stability: Option<Stability>,
    #[serde(skip_serializing_if = "Option::is_none")]
    baseline: Option<&'r Departure<'r>>,
}

#[derive(Serialize)]
struct PageCassette<'r> {
    path: &'r str,
    #[serde(skip_serializing_if = "<[usize]>::is_empty")]
    unused: &'r [usize],
}

/// The end of a run of the case.
#[derive(Serialize)]
struct PageEnd<'r> {
    status: CaseStatus,
    #[serde(skip_serializing_if = "Option::is_none")]
    cause: Option<&'static str>,
    wall_ms: u64,
    tool_calls: u64,
    tool_errors: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    model_calls: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    usage: Option<Usage>,
    #[serde(skip_serializing_if = "<[CallStep]>::is_empty")]
    calls: &'r [CallStep],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    findings: Vec<PageFinding<'r>>,
    findings_left_out: usize,
    #[serde(skip_serializing_if = "String::is_empty")]
    stderr: String,
    #[serde(skip_serializing_if = "str::is_empty")]
    skip_reason: &'r str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<&'r str>,
    /// What was observed about its tool calls.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    lives: Vec<String>,
}

impl<'r> CaseDetail<'r> {
    pub(super) fn of(row: &'r CaseRow, baseline: Option<&'r Departure<'r>>) -> Self {
        let end = row.decisive();
        let notes = [("Expected", &end.expected), ("Metadata", &end.metadata)];
        let note = |(label, value): (_, &Option<Box<Value>>)| Some(StepValue::of(label, value.as_ref()?, LIMIT));
        let tools = end.metrics.tool_calls_by_name.iter().take(NAMED);
        Self {
            number: end.index + 1,
            description: head(end.description.as_deref().unwrap_or_default()),
            place: end.place.as_ref().map(PagePlace::of),
            tags: end.tags.iter().take(NAMED).map(|tag| head(tag)).collect(),
            cassette: end.replay.as_deref().map(PageCassette::of),
            tools: tools.map(|(tool, count)| (head(tool), *count)).collect(),
            notes: notes.into_iter().filter_map(note).collect(),
            runs: row.runs(),
            decisive: decisive_attempt(row),
            // Steps are only needed if there is something to compare them with.
            ends: (row.attempts.iter().take(RUNS))
                .map(|end| PageEnd::of(end, row.repeated() || baseline.is_some()))
                .collect(),
            stability: Stability::of_several(row),
            baseline,
        }
    }
}

impl<'r> PageCassette<'r> {
    fn of(replay: &'r ReplaySource) -> Self {
        Self { path: head(&replay.cassette_path), unused: first(&replay.unused_lines) }
    }
}

impl<'r> PageEnd<'r> {
    fn of(end: &'r CaseEnd, with_calls: bool) -> Self {
        let CaseEnd { metrics, findings, .. } = end;
        let life = |call: &agentci_verdict::CallLife| format!("{}: {}", head(&call.tool), call.words());
        Self {
            status: end.status,
            cause: end.cause.map(Cause::name),
            wall_ms: end.wall_ms,
            tool_calls: metrics.tool_calls,
            tool_errors: metrics.tool_errors,
            model_calls: metrics.model_calls,
            usage: (metrics.usage != Usage::default()).then_some(metrics.usage),
            calls: if with_calls { first(&metrics.steps) } else { &[] },
            findings: findings.iter().take(FINDINGS).map(PageFinding::of).collect(),
            findings_left_out: findings.len().saturating_sub(FINDINGS),
            stderr: head(cut::tail(&end.stderr_tail.join("\n"), LIMIT).0).to_owned(),
            skip_reason: head(end.skip_reason.as_deref().unwrap_or_default()),
            warnings: end.warnings.iter().take(WARNINGS).map(|warning| head(warning)).collect(),
            lives: end.calls.iter().take(NAMED).map(life).collect(),
        }
    }
}

fn head(text: &str) -> &str {
    cut::head(text, LIMIT).0
}

fn first<T>(items: &[T]) -> &[T] {
    items.get(..NAMED).unwrap_or(items)
}
