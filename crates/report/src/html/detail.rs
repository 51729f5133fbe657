//! All that the page's script gets of a case beside its row.
//!
//! ```json
//! {"number":2,"description":"...","place":{...},"runs":3,"ends":[{"status":"fail","wall_ms":12,"findings":[...]}],
//!  "stability":{"runs":3,"passed":2,"pass_rate":66.6,"stability_class":"unstable","avg_duration_ms":10.3},
//!  "baseline":{"status":"pass","step":2,"before":[...],"after":[...]},"attempts":[{"number":1,"checks":...,"steps":...}]}
//! ```
//!
//! (Shortened.) `ends` has every run, `attempts` those whose steps were kept.

use agentci_trace::Usage;
use agentci_verdict::{CaseEnd, Row, Stability, Status, Step};
use serde::Serialize;

use super::baseline::Departure;
use super::finding::{FINDINGS, Spot, Told};
use super::step::Part;
use crate::cut;
use crate::findings::decisive_attempt;

/// How many warnings of a run are kept.
const WARNINGS: usize = 20;
/// How many runs of a case are listed.
const RUNS: usize = 100;
/// The longest text about a case.
const LIMIT: usize = 4 * 1024;
/// How many tags and tools are named.
const NAMED: usize = 50;

/// A case, without the steps of its attempts.
#[derive(Serialize)]
pub(super) struct Detail<'r> {
    number: usize,
    #[serde(skip_serializing_if = "str::is_empty")]
    description: &'r str,
    #[serde(skip_serializing_if = "Option::is_none")]
    place: Option<Spot<'r>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tags: Vec<&'r str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cassette: Option<Cassette<'r>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<(&'r str, u64)>,
    /// What its file says of it beside what is asked, as JSON.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<Part>,
    runs: u32,
    /// The run that decided, from 1.
    decisive: usize,
    ends: Vec<End<'r>>,
    /// How much they are alike.
    #[serde(skip_serializing_if = "Option::is_none")]
    stability: Option<Stability>,
    #[serde(skip_serializing_if = "Option::is_none")]
    baseline: Option<&'r Departure<'r>>,
}

#[derive(Serialize)]
struct Cassette<'r> {
    path: &'r str,
    #[serde(skip_serializing_if = "slice_is_empty")]
    unused: &'r [usize],
}

/// How a run of the case ended.
#[derive(Serialize)]
struct End<'r> {
    status: Status,
    #[serde(skip_serializing_if = "Option::is_none")]
    cause: Option<&'static str>,
    wall_ms: u64,
    tool_calls: u64,
    tool_errors: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    model_calls: Option<u64>,
    #[serde(skip_serializing_if = "is_nothing")]
    usage: Usage,
    #[serde(skip_serializing_if = "slice_is_empty")]
    calls: &'r [Step],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    findings: Vec<Told<'r>>,
    /// How many findings are not here.
    findings_left_out: usize,
    #[serde(skip_serializing_if = "String::is_empty")]
    stderr: String,
    #[serde(skip_serializing_if = "str::is_empty")]
    skip_reason: &'r str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<&'r str>,
    /// What was observed of its tool calls.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    lives: Vec<String>,
}

fn slice_is_empty<T>(slice: &&[T]) -> bool {
    slice.is_empty()
}

fn is_nothing(usage: &Usage) -> bool {
    *usage == Usage::default()
}

impl<'r> Detail<'r> {
    pub(super) fn of(row: &'r Row, baseline: Option<&'r Departure<'r>>) -> Self {
        let end = row.decisive();
        let calls = end.metrics.tool_calls_by_name.iter().take(NAMED);
        Self {
            number: end.index + 1,
            description: head(end.description.as_deref().unwrap_or_default()),
            place: end.place.as_ref().map(Spot::of),
            tags: end.tags.iter().take(NAMED).map(|tag| head(tag)).collect(),
            cassette: end.replay.as_ref().map(|replay| Cassette {
                path: head(&replay.cassette_path),
                unused: &replay.unused_lines[..replay.unused_lines.len().min(NAMED)],
            }),
            tools: calls.map(|(name, count)| (head(name), *count)).collect(),
            notes: [("Expected", &end.expected), ("Metadata", &end.metadata)]
                .into_iter()
                .filter_map(|(label, value)| Some(Part::of(label, value.as_ref()?, LIMIT)))
                .collect(),
            runs: end.runs,
            decisive: decisive_attempt(row),
            // Steps are compared where there is something to compare them with.
            ends: row.attempts.iter().take(RUNS).map(|end| End::of(end, end.runs > 1 || baseline.is_some())).collect(),
            stability: Stability::of_several(row),
            baseline,
        }
    }
}

impl<'r> End<'r> {
    fn of(end: &'r CaseEnd, with_calls: bool) -> Self {
        Self {
            status: end.status,
            cause: end.cause.map(agentci_verdict::Cause::name),
            wall_ms: end.wall_ms,
            tool_calls: end.metrics.tool_calls,
            tool_errors: end.metrics.tool_errors,
            model_calls: end.metrics.model_calls,
            usage: end.metrics.usage,
            calls: if with_calls { &end.metrics.steps[..end.metrics.steps.len().min(NAMED)] } else { &[] },
            findings: end.findings.iter().take(FINDINGS).map(Told::of).collect(),
            findings_left_out: end.findings.len().saturating_sub(FINDINGS),
            stderr: cut::tail(&end.stderr_tail.join("\n"), LIMIT).0.to_owned(),
            skip_reason: head(end.skip_reason.as_deref().unwrap_or_default()),
            warnings: end.warnings.iter().take(WARNINGS).map(|warning| head(warning)).collect(),
            lives: end.calls.iter().take(NAMED).map(|call| format!("{}: {}", head(&call.tool), call.words())).collect(),
        }
    }
}

fn head(text: &str) -> &str {
    cut::head(text, LIMIT).0
}
