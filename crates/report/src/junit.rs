//! `junit.xml`, for CI systems that read test results.
//!
//! ```xml
//! <?xml version="1.0" encoding="UTF-8"?>
//! <testsuites tests="2" failures="1" errors="0" skipped="0" time="0.070">
//!   <testsuite name="demo" tests="2" failures="1" errors="0" skipped="0" time="0.070">
//!     <testcase classname="demo" name="t1" time="0.056"/>
//!     <testcase classname="demo" name="t2" time="0.012">
//!       <failure message="`must_call` failed: .." type="check">FAIL demo/t2: `must_call` failed: ..
//!   --&gt; evals/demo/cases/t2.yaml:9:13
//! ...</failure>
//!       <system-err>the last lines of the agent's standard error</system-err>
//!     </testcase>
//!   </testsuite>
//! </testsuites>
//! ```
//!
//! If no agent was run for some cases, the `<properties>` of the suite say so.
//!
//! If the format has its own labels for assertions, those that passed are in `system-out`, and those that failed are
//! the failure's message, of type `AssertionError`. Similarities are also in `system-out`.
//!
//! A case has one `testcase` however often it was run; its runs and their stability are listed in `system-out`. A
//! failed gate also has one, named `gate: min_pass_rate` and so on; so does a required agent that was not run,
//! `gate: require-agent`; and so does everything that could not be loaded, `not loaded: evals/agentci.yaml`. If the end
//! of a run is missing there is one named `run`, and one for each case that was running, all of them errors.

use std::io::{self, BufWriter, Write};

use agentci_verdict::{Aggregates, Body, CaseRow, CaseStatus, Cause, GateStatus, RunEvent, Stability};

use crate::overall::left;
use crate::{
    AgentTestResult, DocumentReport, OwnReports, PIECE, Paint, ReportedRun, RunDocument, TestSuiteCollector, agents,
    duration, findings, gate_lines, not_loaded, printable, score, similarity, stability, xml_attribute, xml_text,
};

/// Writes `junit.xml`. Several runs become several suites in it.
pub type Junit = DocumentReport<JunitDocument>;

/// The results of each run with the labels of its dialect, if it has its own.
#[derive(Debug, Default)]
pub struct JunitDocument(Vec<Option<TestSuiteCollector>>);

impl RunDocument for JunitDocument {
    const REPORT: &'static str = "junit";
    const JOINS_RUNS: bool = true;

    fn add(&mut self, event: &RunEvent) {
        if self.0.is_empty() || matches!(event.body, Body::RunStart(_)) {
            let own = if let Body::RunStart(start) = &event.body { OwnReports::of(&start.dialect) } else { None };
            self.0.push(own.filter(|own| own.words_in_junit).map(|_| TestSuiteCollector::default()));
        }
        self.0.last_mut().into_iter().flatten().for_each(|words| words.add(event));
    }

    fn write(&mut self, runs: &[ReportedRun], out: &mut dyn Write) -> io::Result<()> {
        let suites: Vec<_> = runs.iter().map(|run| (run, extra_cases(run))).collect();
        let (mut all, mut micros) = (Aggregates::default(), 0);
        for (run, extra) in &suites {
            let numbers = numbers(run, extra);
            all.cases_total += numbers.cases_total;
            all.cases_fail += numbers.cases_fail;
            all.cases_error += numbers.cases_error;
            all.cases_skipped += numbers.cases_skipped;
            micros += run.end().micros();
        }
        let mut out = BufWriter::with_capacity(PIECE, out);
        writeln!(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites {}>", counts(&all, micros))?;
        for ((run, extra), own_words) in suites.iter().zip(&self.0) {
            let counts = counts(&numbers(run, extra), run.end().micros());
            writeln!(out, "  <testsuite name=\"{}\" {counts}>", xml_attribute(&run.suite))?;
            out.write_all(properties(run).as_bytes())?;
            for row in run.rows.iter() {
                let words = own_words.as_ref().and_then(|words| words.get(row.decisive().index));
                out.write_all(test_case(&run.suite, &row, words).as_bytes())?;
            }
            extra.iter().try_for_each(|case| out.write_all(case.xml(&run.suite).as_bytes()))?;
            out.write_all(b"  </testsuite>\n")?;
        }
        out.write_all(b"</testsuites>\n")?;
        out.flush()
    }
}

/// The aggregates of a run including the extra cases.
fn numbers(run: &ReportedRun, extra: &[ExtraCase]) -> Aggregates {
    let failures = extra.iter().filter(|case| case.element == "failure").count();
    let mut numbers = run.rows.tally().aggregates();
    numbers.cases_total += extra.len();
    numbers.cases_fail += failures;
    numbers.cases_error += extra.len() - failures;
    numbers
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

fn test_case(suite: &str, row: &CaseRow, words: Option<&AgentTestResult>) -> String {
    let end = row.decisive();
    let mut inside = match (end.status, &end.skip_reason) {
        (CaseStatus::Pass, _) => Vec::new(),
        (CaseStatus::Fail, _) => {
            vec![words.map_or_else(|| problem("failure", suite, row), |words| assertions(words, suite, row))]
        }
        (CaseStatus::Error, _) => vec![problem("error", suite, row)],
        (CaseStatus::Skipped, Some(reason)) => {
            vec![format!("      <skipped message=\"{}\"/>\n", xml_attribute(reason))]
        }
        (CaseStatus::Skipped, None) => vec!["      <skipped/>\n".to_owned()],
    };
    let mut stream = |name: &str, text: &str| inside.push(format!("      <{name}>{}</{name}>\n", xml_text(text)));
    if let Some(words) = words.filter(|words| !words.assertions_passed.is_empty()) {
        stream("system-out", &printable(&words.assertions_passed.join("\n")));
    }
    if !end.similarities.is_empty() {
        stream("system-out", &printable(&similarity::lines(end).join("\n")));
    }
    if !end.scores.is_empty() {
        stream("system-out", &printable(&score::lines(end).join("\n")));
    }
    if row.repeated() {
        stream("system-out", &runs(row));
    }
    if !end.stderr_tail.is_empty() {
        // Control characters are made visible as on a terminal, where most viewers show this file.
        stream("system-err", &printable(&end.stderr_tail.join("\n")));
    }
    let (class, name, time) = (xml_attribute(suite), xml_attribute(row.id()), seconds(row.micros()));
    let begin = format!("    <testcase classname=\"{class}\" name=\"{name}\" time=\"{time}\"");
    if inside.is_empty() { begin + "/>\n" } else { format!("{begin}>\n{}    </testcase>\n", inside.concat()) }
}

fn problem(element: &str, suite: &str, row: &CaseRow) -> String {
    let end = row.decisive();
    let message = findings::decisive(end).map(findings::headline).unwrap_or_default();
    let cause = end.cause.map(Cause::name).unwrap_or_default();
    let body = findings::render(suite, row, 0, Paint::new(false));
    trouble(element, &message, cause, body.trim_end())
}

/// `<failure message=".." type="..">..</failure>`
fn trouble(element: &str, message: &str, kind: &str, body: &str) -> String {
    let (message, kind, body) = (xml_attribute(message), xml_attribute(kind), xml_text(body));
    format!("      <{element} message=\"{message}\" type=\"{kind}\">{body}</{element}>\n")
}

/// A failure with the labels of the dialect, and the reason if it is known.
fn assertions(words: &AgentTestResult, suite: &str, row: &CaseRow) -> String {
    let mut body = format!(
        "Actual output: {}\nFailed assertions:\n{}",
        words.actual_output,
        words.assertions_failed.iter().map(|label| format!("  - {label}")).collect::<Vec<_>>().join("\n"),
    );
    if row.decisive().findings.iter().any(|finding| finding.place.is_some()) {
        body = format!("{body}\n\n{}", findings::render(suite, row, 0, Paint::new(false)).trim_end());
    }
    trouble("failure", &words.assertions_failed.join("; "), "AssertionError", &printable(&body))
}

/// `<property name="agents" value="2 of 2 cases played from recordings: no agent was run"/>`, if that is the case.
fn properties(run: &ReportedRun) -> String {
    let counts = run.rows.tally().agentless;
    let Some(sentence) = agents::sentence(counts) else { return String::new() };
    let facts = [
        ("agents", sentence),
        ("cases_played", counts.played.to_string()),
        ("cases_without_agent", counts.without.to_string()),
    ];
    let property = |(name, value): (&str, String)| {
        format!("      <property name=\"{name}\" value=\"{}\"/>\n", xml_attribute(&value))
    };
    format!("    <properties>\n{}    </properties>\n", facts.map(property).concat())
}

/// A test case that is not in the suite: a failed gate, or something that is missing.
struct ExtraCase {
    name: String,
    /// `failure` or `error`.
    element: &'static str,
    kind: &'static str,
    message: String,
    body: String,
}

impl ExtraCase {
    fn error(name: &str, kind: &'static str, message: &str, body: &str) -> Self {
        Self { name: name.into(), element: "error", kind, message: message.into(), body: body.trim_end().into() }
    }

    fn xml(&self, suite: &str) -> String {
        let (class, name) = (xml_attribute(suite), xml_attribute(&self.name));
        let trouble = trouble(self.element, &self.message, self.kind, &self.body);
        format!("    <testcase classname=\"{class}\" name=\"{name}\" time=\"0.000\">\n{trouble}    </testcase>\n")
    }
}

/// Test cases for things that are not cases of the suite: what could not be loaded, what was running when the run was
/// killed, the missing end of the run, failed gates, and a required agent that was not run.
fn extra_cases(run: &ReportedRun) -> Vec<ExtraCase> {
    let mut cases = Vec::new();
    for problem in &run.start.not_loaded {
        let name = format!("not loaded: {}", problem.place.path);
        cases.push(ExtraCase::error(&name, "config", &problem.message, &not_loaded(problem, Paint::new(false))));
    }
    if run.incomplete() {
        let message = "the record of the run ends before this case";
        cases.extend(run.under_way().map(|id| ExtraCase::error(id, "incomplete", message, message)));
        let (not_run, total) = (run.end().not_run, run.start.cases_total);
        let message = format!(
            "the run did not finish: it was killed or is still running; {not_run} of {total} cases have no result"
        );
        cases.push(ExtraCase::error("run", "incomplete", &message, &message));
    }
    let end = run.end();
    if !run.incomplete()
        && let Some(ceiling) = &end.ceiling
    {
        let message = format!("the run was stopped: {}; {}", ceiling.reason, left(&end));
        cases.push(ExtraCase::error("run", "ceiling", &message, &printable(&message)));
    }
    let gate = |name: &str, message: String, more: &str| ExtraCase {
        name: format!("gate: {name}"),
        element: "failure",
        kind: "gate",
        body: format!("GATE FAIL {name}: {message}{more}"),
        message,
    };
    let failed = run.gates.as_deref().map(gate_lines).unwrap_or_default().into_iter();
    cases.extend(failed.filter(|line| line.status == GateStatus::Fail).map(|line| {
        let place = line.place.map(|place| format!("\n  --> {}:{}:{}", place.path, place.line, place.column));
        gate(line.name, line.sentence, &printable(&place.unwrap_or_default()))
    }));
    let missing = agents::missing(run);
    if !missing.is_empty() {
        let more = printable(&format!("\n{}", agents::lines(&missing).join("\n"))).into_owned();
        cases.push(gate(agents::NAME, agents::headline(&missing), &more));
    }
    cases
}

fn runs(row: &CaseRow) -> String {
    let lines = row.attempts.iter().enumerate().map(|(at, attempt)| {
        format!("run {} of {}: {} ({})", at + 1, row.runs(), attempt.status.name(), duration(attempt.wall_ms))
    });
    let alike = Stability::of_several(row).map(|stability| stability::words(&stability));
    lines.chain(alike).collect::<Vec<_>>().join("\n")
}

/// A time in seconds with milliseconds, or with microseconds if they are known.
fn seconds(micros: u64) -> String {
    let (seconds, rest) = (micros / 1_000_000, micros % 1_000_000);
    if rest % 1000 == 0 { format!("{seconds}.{:03}", rest / 1000) } else { format!("{seconds}.{rest:06}") }
}
