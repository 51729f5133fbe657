//! A case in the summary.

use std::collections::BTreeMap;

use agentci_verdict::{
    CallStep, CaseRow, CaseSample, CaseStatus, Cause, CheckScore, Finding, Measure, ReplaySource, Stability,
};
use serde::{Serialize, Serializer};
use serde_json::Value;

use super::report::sorted;
use crate::findings;

/// A case. Fields are in alphabetical order, like all keys of the summary.
#[derive(Serialize)]
pub(super) struct SummaryCase<'r> {
    #[serde(skip_serializing_if = "Option::is_none")]
    asked: Option<Vec<String>>,
    assertions: CheckCounts,
    #[serde(skip_serializing_if = "Option::is_none")]
    calls: Option<Value>,
    cause: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    combination: Option<Value>,
    cost_usd: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<&'r str>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    deterministic: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    embedder: Option<String>,
    failed_assertions: Option<Vec<FailedAssertion<'r>>>,
    failure_reason: Option<&'r str>,
    findings: Sorted<'r, Vec<Finding>>,
    history: RunCounts,
    id: &'r str,
    #[serde(skip_serializing_if = "Option::is_none")]
    matched: Option<Value>,
    model_calls: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    most_runs: Option<u32>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    no_agent: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    played: Option<Value>,
    replay: PlayedFile<'r>,
    #[serde(skip_serializing_if = "Option::is_none")]
    runs: Option<Vec<CaseRun>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    scores: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    similarities: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    similarity: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    skip_reason: Option<&'r str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stability: Option<Value>,
    status: &'static str,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    stderr_tail: &'r [String],
    steps: (),
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    tags: &'r [String],
    tokens_in: Option<u64>,
    tokens_out: Option<u64>,
    tool_calls: u64,
    tool_calls_by_name: &'r BTreeMap<String, u64>,
    tool_errors: u64,
    tool_errors_by_name: &'r BTreeMap<String, u64>,
    tool_steps: Sorted<'r, Vec<CallStep>>,
    wall_ms: u64,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    warnings: &'r [String],
}

#[derive(Serialize)]
struct CheckCounts {
    failed: usize,
    total: usize,
}

#[derive(Serialize)]
struct FailedAssertion<'r> {
    message: &'r str,
    r#type: &'r str,
}

/// The results of all attempts of a case; numbers are medians.
#[derive(Serialize)]
struct RunCounts {
    #[serde(skip_serializing_if = "Option::is_none")]
    cost_usd: Option<f64>,
    passes: u64,
    runs: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    tokens: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    wall_ms: Option<f64>,
}

#[derive(Default, Serialize)]
struct PlayedFile<'r> {
    cassette_path: Option<&'r str>,
    cassette_sha256: Option<&'r str>,
    unused_lines: Option<&'r [usize]>,
}

/// One run of a case that is run more than once.
#[derive(Serialize)]
struct CaseRun {
    attempt: usize,
    cause: Option<&'static str>,
    status: &'static str,
    wall_ms: u64,
}

/// Serializes a value with its keys sorted.
struct Sorted<'r, T>(&'r T);

impl<T: Serialize> Serialize for Sorted<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        sorted(self.0).serialize(serializer)
    }
}

impl<'r> SummaryCase<'r> {
    pub(super) fn of(row: &'r CaseRow) -> Self {
        let end = row.decisive();
        let (metrics, usage, sample) = (&end.metrics, &end.metrics.usage, CaseSample::of(row));
        let (measure, stability) = (Measure::of(end), Stability::of_several(row));
        let replay = end.replay.as_deref();
        Self {
            asked: row.asked(),
            assertions: CheckCounts { failed: end.assertions.failed, total: end.assertions.total },
            calls: sorted_list(&end.calls),
            cause: end.cause.map(Cause::name),
            combination: end.combination.as_ref().map(sorted),
            cost_usd: usage.cost_usd,
            description: end.description.as_deref(),
            deterministic: end.deterministic,
            embedder: measure.as_ref().map(|measure| measure.embedder.clone()),
            failed_assertions: failed_assertions(&end.findings),
            failure_reason: failure_reason(row),
            findings: Sorted(&end.findings),
            history: RunCounts::of(sample),
            id: row.id(),
            matched: replay.and_then(|replay| replay.matched.as_ref()).map(sorted),
            model_calls: metrics.model_calls,
            most_runs: end.most_runs,
            no_agent: end.no_agent,
            played: row.played().map(sorted),
            replay: replay.map(PlayedFile::of).unwrap_or_default(),
            runs: stability.as_ref().map(|_| runs(row)),
            scores: sorted_list(&CheckScore::of_case(row)),
            similarities: sorted_list(&end.similarities),
            similarity: measure.as_ref().map(|measure| measure.similarity),
            skip_reason: end.skip_reason.as_deref(),
            stability: stability.as_ref().map(sorted),
            status: end.status.name(),
            stderr_tail: &end.stderr_tail,
            steps: (),
            tags: &end.tags,
            tokens_in: usage.tokens_in,
            tokens_out: usage.tokens_out,
            tool_calls: metrics.tool_calls,
            tool_calls_by_name: &metrics.tool_calls_by_name,
            tool_errors: metrics.tool_errors,
            tool_errors_by_name: &metrics.tool_errors_by_name,
            tool_steps: Sorted(&metrics.steps),
            wall_ms: end.wall_ms,
            warnings: &end.warnings,
        }
    }
}

impl RunCounts {
    fn of(sample: CaseSample) -> Self {
        let CaseSample { passes, runs, wall_ms, tokens, cost_usd } = sample;
        Self { cost_usd, passes, runs, tokens, wall_ms }
    }
}

impl<'r> PlayedFile<'r> {
    fn of(replay: &'r ReplaySource) -> Self {
        Self {
            cassette_path: Some(&replay.cassette_path),
            cassette_sha256: Some(&replay.cassette_sha256),
            unused_lines: Some(&replay.unused_lines),
        }
    }
}

fn sorted_list<T: Serialize>(items: &Vec<T>) -> Option<Value> {
    (!items.is_empty()).then(|| sorted(items))
}

fn runs(row: &CaseRow) -> Vec<CaseRun> {
    let run = |(attempt, end): (usize, &std::sync::Arc<agentci_verdict::CaseEnd>)| CaseRun {
        attempt: attempt + 1,
        cause: end.cause.map(Cause::name),
        status: end.status.name(),
        wall_ms: end.wall_ms,
    };
    row.attempts.iter().enumerate().map(run).collect()
}

/// The message of the decisive finding.
fn failure_reason(row: &CaseRow) -> Option<&str> {
    let end = row.decisive();
    if matches!(end.status, CaseStatus::Pass | CaseStatus::Skipped) {
        return None;
    }
    findings::decisive(end).map(|finding| finding.message.as_str())
}

/// `None` if no check failed.
fn failed_assertions(findings: &[Finding]) -> Option<Vec<FailedAssertion<'_>>> {
    let failed = findings.iter().filter(|finding| finding.cause == Cause::Check);
    let failed: Vec<_> =
        failed.map(|finding| FailedAssertion { message: &finding.message, r#type: &finding.name }).collect();
    (!failed.is_empty()).then_some(failed)
}
