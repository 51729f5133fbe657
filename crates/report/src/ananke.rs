//! The result of a suite of the `ananke` dialect, in the format that its users know.
//!
//! ```json
//! {
//!   "tests": [
//!     {
//!       "name": "checkout flow",
//!       "file": "tests/checkout.test.yaml",
//!       "passed": false,
//!       "duration": 1830,
//!       "failures": [
//!         { "assertion": "tools.forbid", "message": "...", "turn": 2, "file": "ananke.config.yaml", "line": 12, "seen": ["..."] }
//!       ]
//!     }
//!   ],
//!   "passed": 0,
//!   "failed": 1,
//!   "total": 1
//! }
//! ```
//!
//! `error` is present if the test did not finish; durations are in milliseconds. If a test is run several times, the
//! first run that did not pass is shown. A skipped test has `skipped` and only counts in `total`.

use std::io::{self, Write};

use agentci_verdict::{Aggregates, CaseEnd, CaseRow, CaseStatus, Cause, Finding};
use serde_json::{Value, json};

use crate::json_object::{list, object};
use crate::registry::JSON;
use crate::{DocumentReport, OwnReports, ReportKind, ReportedRun, RunDocument, write_json};

/// The reports of the dialect.
pub(crate) static REPORTS: OwnReports = OwnReports {
    dialect: "ananke",
    kinds: &[ReportKind::new(JSON, "result.json", &["json"], |output| Box::new(TestList::streamed(output)))],
    words_in_junit: false,
};

/// Writes the list of a suite's tests, one document per run.
pub type TestList = DocumentReport<TestListDocument>;

#[derive(Debug, Default)]
pub struct TestListDocument;

impl RunDocument for TestListDocument {
    const REPORT: &'static str = "test list";

    fn write(&mut self, runs: &[ReportedRun], out: &mut dyn Write) -> io::Result<()> {
        let tests: Vec<Value> = runs.iter().flat_map(|run| run.rows.iter()).map(|row| test(&row)).collect();
        let numbers: Vec<Aggregates> = runs.iter().map(|run| run.rows.tally().aggregates()).collect();
        let document = json!({
            "tests": tests,
            "passed": numbers.iter().map(|numbers| numbers.cases_pass).sum::<usize>(),
            "failed": numbers.iter().map(|numbers| numbers.cases_fail + numbers.cases_error).sum::<usize>(),
            "total": tests.len(),
        });
        write_json(out, &document)
    }
}

fn test(row: &CaseRow) -> Value {
    let end = row.decisive();
    let (failures, errors): (Vec<&Finding>, Vec<&Finding>) =
        end.findings.iter().partition(|finding| matches!(finding.cause, Cause::Check | Cause::Limit));
    let failures: Vec<Value> = failures.into_iter().map(failure).collect();
    Value::Object(object([
        ("name", Some(row.id().into())),
        ("file", end.place.as_ref().map(|place| (&*place.path).into())),
        ("passed", Some(end.passed.into())),
        ("duration", Some(end.wall_ms.into())),
        ("skipped", (end.status == CaseStatus::Skipped).then_some(true.into())),
        ("error", error(end, &errors).map(Value::from)),
        ("failures", list(&failures)),
        ("warnings", list(&end.warnings)),
    ]))
}

/// Why the test did not finish.
fn error(end: &CaseEnd, errors: &[&Finding]) -> Option<String> {
    match errors {
        [] if end.status == CaseStatus::Error && end.findings.is_empty() => Some("it did not finish".into()),
        [] => None,
        errors => Some(errors.iter().map(|finding| told(finding)).collect::<Vec<_>>().join("\n")),
    }
}

/// `turn 2: the agent gave up: no answer (agent_error)`, with the place if there is one.
fn told(finding: &Finding) -> String {
    let turn = finding.turn.map(|turn| format!("turn {}: ", turn + 1)).unwrap_or_default();
    let place = finding.place.as_ref().filter(|place| place.line > 0);
    let place = place.map(|place| format!(" ({}:{})", place.path, place.line)).unwrap_or_default();
    format!("{turn}{} ({}){place}", finding.message, finding.cause.name())
}

fn failure(finding: &Finding) -> Value {
    let (place, detail) = (finding.place.as_ref(), finding.details.first());
    Value::Object(object([
        ("assertion", Some(finding.name.as_str().into())),
        ("message", Some(finding.message.as_str().into())),
        ("turn", finding.turn.map(|turn| (turn + 1).into())),
        ("file", place.map(|place| (&*place.path).into())),
        ("line", place.map(|place| place.line.into())),
        ("expected", detail.map(|detail| detail.expected.clone())),
        ("actual", detail.map(|detail| detail.actual.clone())),
        ("seen", list(&finding.notes)),
    ]))
}
