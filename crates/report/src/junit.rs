//! `junit.xml`, for what reads test results in CI.
//!
//! ```xml
//! <?xml version="1.0" encoding="UTF-8"?>
//! <testsuites tests="2" failures="1" errors="0" skipped="0" time="0.070">
//!   <testsuite name="demo" tests="2" failures="1" errors="0" skipped="0" time="0.070">
//!     <testcase classname="demo" name="t1" time="0.056"/>
//!     <testcase classname="demo" name="t2" time="0.012">
//!       <failure message="check `must_call` did not hold" type="check">FAIL demo/t2: check `must_call` did not hold
//!   --&gt; evals/demo/cases/t2.yaml:9:13
//! ...</failure>
//!       <system-err>what the agent wrote last</system-err>
//!     </testcase>
//!   </testsuite>
//! </testsuites>
//! ```
//!
//! Where no agent was run for some cases, `<properties>` of the suite say so.
//!
//! Where the format has its own words for expectations, those that were met stand in `system-out`, and those that were not are
//! the failure's message, of type `AssertionError`. How near an answer is to the expected one stands in `system-out`, too.
//!
//! A case has one `testcase` however often it was run; its runs are listed in `system-out`, and how much they are
//! alike. A gate that failed has one, too,
//! named `gate: min_pass_rate` and so on; so has the demand for an agent that was not run, `gate: require-agent`; so has everything that could not be loaded, `not loaded: evals/agentci.yaml`. Where the
//! end of a run is missing there is one named `run`, and one for each case that was under way, all of them errors.

use std::fmt::Write as _;
use std::io;

use agentci_verdict::{Agentless, Aggregates, Body, Cause, GateReport, GateStatus, Row, RunEvent, Stability, Status};

use crate::pieces::{Pieces, in_one_piece};
use crate::quantity::duration;
use crate::registry::OwnReports;
use crate::run::Run;
use crate::{
    AgentTestResult, Gathered, Output, Paint, ReportError, Reporter, Stream, agents, findings, gates, not_loaded,
    printable, similarity, stability, xml_attribute, xml_text,
};

/// Makes `junit.xml`. Several runs one after another become several suites in it.
pub struct Junit {
    output: Stream,
    runs: Vec<Told>,
}

/// A run, and what is told of it in the words of its dialect.
#[derive(Default)]
struct Told {
    run: Run,
    own_words: Option<Gathered>,
}

impl Junit {
    /// The file goes to `output` when it is complete.
    pub fn new(output: Output) -> Self {
        Self::streamed(in_one_piece(output))
    }

    /// The file goes to `output` while it is made.
    pub fn streamed(output: Stream) -> Self {
        Self { output, runs: Vec::new() }
    }
}

impl Reporter for Junit {
    fn on_event(&mut self, event: &RunEvent) -> Result<(), ReportError> {
        if self.runs.is_empty() || matches!(event.body, Body::RunStart(_)) {
            let own = if let Body::RunStart(start) = &event.body { OwnReports::of(&start.dialect) } else { None };
            let own_words = own.filter(|own| own.words_in_junit).map(|_| Gathered::default());
            self.runs.push(Told { run: Run::default(), own_words });
        }
        if let Some(told) = self.runs.last_mut() {
            told.run.add(event);
            if let Some(words) = &mut told.own_words {
                words.add(event);
            }
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<(), ReportError> {
        let runs = std::mem::take(&mut self.runs);
        let written = (self.output)(&mut |out| file(&runs, &mut Pieces::new(out)));
        written.map_err(|source| ReportError::Write { report: "junit", source })
    }
}

fn file(runs: &[Told], file: &mut Pieces<'_>) -> io::Result<()> {
    let mut all = Aggregates::default();
    let mut micros = 0;
    let mut counted = Vec::with_capacity(runs.len());
    for Told { run, .. } in runs {
        let mut failed_gates: Vec<String> =
            run.gates.iter().flat_map(|report| failed_gates(&run.suite, report)).collect();
        failed_gates.extend(agent_missing(run));
        let missing = missing(run);
        let mut numbers = Aggregates::of(&run.rows);
        numbers.cases_total += failed_gates.len() + missing.len();
        numbers.cases_fail += failed_gates.len();
        numbers.cases_error += missing.len();
        all.cases_total += numbers.cases_total;
        all.cases_fail += numbers.cases_fail;
        all.cases_error += numbers.cases_error;
        all.cases_skipped += numbers.cases_skipped;
        micros += run.end().micros();
        counted.push((counts(&numbers, run.end().micros()), [missing, failed_gates].concat()));
    }
    let counts = counts(&all, micros);
    let _ = writeln!(file.text, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites {counts}>");
    for (Told { run, own_words }, (counts, others)) in runs.iter().zip(counted) {
        let words = |row: &Row| own_words.as_ref().and_then(|words| words.get(row.decisive().index));
        let _ = writeln!(file.text, "  <testsuite name=\"{}\" {counts}>", xml_attribute(&run.suite));
        properties(run, &mut file.text);
        for row in run.rows.iter() {
            test_case(&run.suite, row, words(row), &mut file.text);
            file.go_on()?;
        }
        file.text.extend(others);
        file.text.push_str("  </testsuite>\n");
    }
    file.text.push_str("</testsuites>\n");
    file.hand_on()
}

fn counts(numbers: &Aggregates, micros: u64) -> String {
    format!(
        "tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" time=\"{}\"",
        numbers.cases_total,
        numbers.cases_fail,
        numbers.cases_error,
        numbers.cases_skipped,
        seconds(micros),
    )
}

fn test_case(suite: &str, row: &Row, words: Option<&AgentTestResult>, into: &mut String) {
    let end = row.decisive();
    let mut inside = match (end.status, &end.skip_reason) {
        (Status::Pass, _) => Vec::new(),
        (Status::Fail, _) => {
            vec![words.map_or_else(|| problem("failure", suite, row), |words| assertions(words, suite, row))]
        }
        (Status::Error, _) => vec![problem("error", suite, row)],
        (Status::Skipped, Some(reason)) => vec![format!("      <skipped message=\"{}\"/>\n", xml_attribute(reason))],
        (Status::Skipped, None) => vec!["      <skipped/>\n".to_owned()],
    };
    if let Some(words) = words.filter(|words| !words.assertions_passed.is_empty()) {
        let labels = words.assertions_passed.join("\n");
        inside.push(format!("      <system-out>{}</system-out>\n", xml_text(&printable(&labels))));
    }
    if !end.similarities.is_empty() {
        let lines = similarity::lines(end).join("\n");
        inside.push(format!("      <system-out>{}</system-out>\n", xml_text(&printable(&lines))));
    }
    if end.runs > 1 {
        inside.push(format!("      <system-out>{}</system-out>\n", xml_text(&runs(row))));
    }
    if !end.stderr_tail.is_empty() {
        // Made visible as on a terminal, since that is where most viewers of this file end up showing it.
        let stderr = end.stderr_tail.join("\n");
        inside.push(format!("      <system-err>{}</system-err>\n", xml_text(&printable(&stderr))));
    }
    for part in
        ["    <testcase classname=\"", &xml_attribute(suite), "\" name=\"", &xml_attribute(row.id()), "\" time=\""]
    {
        into.push_str(part);
    }
    let _ = write!(into, "{}\"", seconds(row.micros()));
    if inside.is_empty() {
        into.push_str("/>\n");
    } else {
        into.push_str(">\n");
        into.extend(inside);
        into.push_str("    </testcase>\n");
    }
}

fn problem(element: &str, suite: &str, row: &Row) -> String {
    let end = row.decisive();
    let message = findings::decisive(end).map(findings::headline).unwrap_or_default();
    let cause = end.cause.map(Cause::name).unwrap_or_default();
    let body = findings::render(suite, row, 0, Paint::new(false));
    format!(
        "      <{element} message=\"{}\" type=\"{}\">{}</{element}>\n",
        xml_attribute(&message),
        xml_attribute(cause),
        xml_text(body.trim_end()),
    )
}

/// A failure in the words of a dialect that has its own, and why, where the run knows it.
fn assertions(words: &AgentTestResult, suite: &str, row: &Row) -> String {
    let mut body = format!(
        "Actual output: {}\nFailed assertions:\n{}",
        words.actual_output,
        words.assertions_failed.iter().map(|label| format!("  - {label}")).collect::<Vec<_>>().join("\n"),
    );
    if row.decisive().findings.iter().any(|finding| finding.place.is_some()) {
        body = format!("{body}\n\n{}", findings::render(suite, row, 0, Paint::new(false)).trim_end());
    }
    format!(
        "      <failure message=\"{}\" type=\"AssertionError\">{}</failure>\n",
        xml_attribute(&words.assertions_failed.join("; ")),
        xml_text(&printable(&body)),
    )
}

/// What the record of a run has no case for, a test case each: what could not be loaded, what was under way when the run was
/// killed, and its missing end.
fn missing(run: &Run) -> Vec<String> {
    let mut cases = Vec::new();
    let mut error = |name: &str, kind: &str, message: &str, body: &str| {
        cases.push(format!(
            "    <testcase classname=\"{}\" name=\"{}\" time=\"0.000\">\n      \
             <error message=\"{}\" type=\"{kind}\">{}</error>\n    </testcase>\n",
            xml_attribute(&run.suite),
            xml_attribute(name),
            xml_attribute(message),
            xml_text(body.trim_end()),
        ));
    };
    for problem in &run.start.not_loaded {
        let body = not_loaded(problem, Paint::new(false));
        error(&format!("not loaded: {}", problem.place.path), "config", &problem.message, &body);
    }
    if run.incomplete() {
        for id in run.under_way() {
            let message = "the record of the run ends before this case does";
            error(id, "incomplete", message, message);
        }
        let (not_run, total) = (run.end().not_run, run.start.cases_total);
        let message = format!(
            "the run has no end: it was killed or is still going on; {not_run} of {total} cases have no result"
        );
        error("run", "incomplete", &message, &message);
    }
    cases
}

/// `<property name="agents" value="2 of 2 cases played from recordings: no agent was run"/>`, where that is so.
fn properties(run: &Run, into: &mut String) {
    let counts = Agentless::of(&run.rows);
    let Some(sentence) = agents::sentence(counts) else { return };
    into.push_str("    <properties>\n");
    let facts = [
        ("agents", sentence),
        ("cases_played", counts.played.to_string()),
        ("cases_without_agent", counts.without.to_string()),
    ];
    for (name, value) in facts {
        let _ = writeln!(into, "      <property name=\"{name}\" value=\"{}\"/>", xml_attribute(&value));
    }
    into.push_str("    </properties>\n");
}

/// The demand for an agent, where it was not met.
fn agent_missing(run: &Run) -> Option<String> {
    let missing = agents::missing(run);
    if missing.is_empty() {
        return None;
    }
    let (name, said) = (agents::NAME, agents::headline(&missing));
    Some(format!(
        "    <testcase classname=\"{}\" name=\"gate: {name}\" time=\"0.000\">\n      \
         <failure message=\"{said}\" type=\"gate\">{}</failure>\n    </testcase>\n",
        xml_attribute(&run.suite),
        xml_text(&printable(&format!("GATE FAIL {name}: {said}\n{}", agents::lines(&missing).join("\n")))),
    ))
}

/// Gates that failed, a test case each; the others are nobody's concern here.
fn failed_gates(suite: &str, report: &GateReport) -> Vec<String> {
    let mut cases = Vec::new();
    if let Some(problem) = &report.problem {
        let path = report.baseline_path.as_deref().unwrap_or_default();
        cases.push(failed_gate(suite, "baseline", &gates::baseline_problem(path, problem)));
    }
    let failed = report.comparison.checks.iter().filter(|check| check.status == GateStatus::Fail);
    cases.extend(failed.map(|check| failed_gate(suite, check.id.name(), &gates::gate(check))));
    cases
}

fn failed_gate(suite: &str, name: &str, said: &str) -> String {
    format!(
        "    <testcase classname=\"{}\" name=\"gate: {name}\" time=\"0.000\">\n      \
         <failure message=\"{}\" type=\"gate\">{}</failure>\n    </testcase>\n",
        xml_attribute(suite),
        xml_attribute(said),
        xml_text(&format!("GATE FAIL {name}: {said}")),
    )
}

fn runs(row: &Row) -> String {
    let lines = row.attempts.iter().enumerate().map(|(at, attempt)| {
        format!("run {} of {}: {} ({})", at + 1, attempt.runs, attempt.status.name(), duration(attempt.wall_ms))
    });
    let alike = Stability::of_several(row).map(|stability| stability::words(&stability));
    lines.chain(alike).collect::<Vec<_>>().join("\n")
}

/// A time in seconds: with milliseconds, or with microseconds where they are known.
fn seconds(micros: u64) -> String {
    let (seconds, rest) = (micros / 1_000_000, micros % 1_000_000);
    if rest % 1000 == 0 { format!("{seconds}.{:03}", rest / 1000) } else { format!("{seconds}.{rest:06}") }
}
