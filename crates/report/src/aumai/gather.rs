//! Collects run events into a result.

use std::collections::{BTreeMap, HashMap};
use std::io::{self, Write};
use std::sync::Arc;

use agentci_verdict::{Body, CaseEnd, Cause, CheckEnd, CheckStatus, RunEvent};
use serde_json::Value;

use crate::json_object::plain_text;
use crate::{AgentTestResult, DocumentReport, ReportedRun, RunDocument, TestSuiteResult, label, write_json};

/// Collects the events of one run.
#[derive(Debug, Default)]
pub struct TestSuiteCollector {
    suite: Arc<str>,
    first_seen: Option<u64>,
    last_seen: u64,
    wall_us: Option<u64>,
    /// Running attempts, by case.
    open: HashMap<Arc<str>, OpenAttempt>,
    /// Results of ended attempts, by position.
    closed: BTreeMap<usize, AgentTestResult>,
}

/// The data of a running attempt.
#[derive(Debug, Default)]
struct OpenAttempt {
    output: String,
    tokens_used: u64,
    latency_ms: f64,
    checks: Vec<CheckEnd>,
    error: Option<String>,
}

impl TestSuiteCollector {
    /// Adds an event.
    pub fn add(&mut self, event: &RunEvent) {
        self.first_seen.get_or_insert(event.timestamp);
        self.last_seen = event.timestamp;
        if self.suite.is_empty() {
            self.suite = Arc::clone(&event.suite);
        }
        let Some(id) = &event.case_id else {
            if let Body::RunEnd(end) = &event.body {
                self.wall_us = Some(end.micros());
            }
            return;
        };
        if let Body::CaseEnd(end) = &event.body {
            let open = self.open.remove(id).unwrap_or_default();
            let result = open.close(id, end);
            // Of several attempts the first that failed is shown.
            let shown = self.closed.entry(end.index).or_insert_with(|| result.clone());
            if shown.passed && !result.passed {
                *shown = result;
            }
            return;
        }
        if matches!(event.body, Body::Stability(_)) {
            return;
        }
        let open = self.open.entry(Arc::clone(id)).or_default();
        match &event.body {
            Body::TaskStart(_) => *open = OpenAttempt::default(),
            Body::ModelCall(call) => {
                open.latency_ms += call.response.get("latency_ms").and_then(Value::as_f64).unwrap_or_default();
            }
            Body::Usage(usage) => open.tokens_used += usage.tokens_out.unwrap_or_default(),
            Body::FinalOutput(output) => open.output = plain_text(&output.output),
            Body::Check(check) => open.checks.push(check.clone()),
            Body::TaskError(error) => open.error = Some(error.message.clone()),
            _ => {}
        }
    }

    /// The result of the case at a position, if it has ended.
    pub fn get(&self, index: usize) -> Option<&AgentTestResult> {
        self.closed.get(&index)
    }

    /// The result of the events so far.
    pub fn result(self) -> TestSuiteResult {
        let seen = self.last_seen - self.first_seen.unwrap_or(self.last_seen);
        let wall = self.wall_us.unwrap_or(seen.saturating_mul(1000));
        TestSuiteResult::new(&*self.suite, self.closed.into_values().collect(), milliseconds(wall))
    }
}

/// Writes the result of a run as JSON, one document per run.
pub type TestSuite = DocumentReport<TestSuiteCollector>;

impl RunDocument for TestSuiteCollector {
    const REPORT: &'static str = "test suite";

    fn add(&mut self, event: &RunEvent) {
        self.add(event);
    }

    fn write(&mut self, _: &[ReportedRun], out: &mut dyn Write) -> io::Result<()> {
        write_json(out, &std::mem::take(self).result())
    }
}

impl OpenAttempt {
    fn close(self, id: &str, end: &CaseEnd) -> AgentTestResult {
        let latency_ms = if self.latency_ms > 0.0 { self.latency_ms } else { milliseconds(end.micros()) };
        let named = |check: &CheckEnd| {
            let met = check.status == CheckStatus::Passed;
            let spelt = check.message.as_ref().filter(|message| is_label(message, &check.name));
            spelt
                .cloned()
                .unwrap_or_else(|| label(&check.name, check.subject.as_deref(), met, self.tokens_used, latency_ms))
        };
        let of = |status: CheckStatus| self.checks.iter().filter(move |check| check.status == status).map(named);
        let mut failed: Vec<String> = of(CheckStatus::Failed).collect();
        // Findings that are not checks, such as a timeout, have their own messages.
        let others = end.findings.iter().filter(|finding| finding.cause != Cause::Check);
        failed.extend(others.map(|finding| match (&self.error, finding.cause) {
            (Some(error), Cause::AgentError) => format!("provider_error: {error}"),
            _ => format!("{}: {}", finding.name, finding.message),
        }));
        AgentTestResult {
            test_case_name: id.to_owned(),
            passed: end.passed,
            assertions_passed: of(CheckStatus::Passed).collect(),
            assertions_failed: failed,
            duration_ms: milliseconds(end.micros()),
            tokens_used: self.tokens_used,
            actual_output: match self.error {
                Some(error) => format!("ERROR: {error}"),
                None => self.output,
            },
        }
    }
}

/// Whether a message is already the label of a check, as in events that were created from a result.
fn is_label(message: &str, name: &str) -> bool {
    message.strip_prefix(name).is_some_and(|rest| rest.starts_with(": "))
}

#[expect(clippy::cast_precision_loss, reason = "microseconds stay far below 2^53")]
fn milliseconds(micros: u64) -> f64 {
    micros as f64 / 1000.0
}
