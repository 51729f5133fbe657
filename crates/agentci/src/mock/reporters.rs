//! Results as text: for people, for programs, and for CI servers.

use std::io::{self, Write};

use agentci_report::{Buffer, Console, ConsoleOptions, Junit, Reporter, TestSuiteResult};
use serde::Serialize as _;
use serde_json::ser::{PrettyFormatter, Serializer};

use super::events::events;

/// Reports the results of a suite.
pub trait SuiteReporter {
    /// The report as text.
    fn report(&self, suite: &TestSuiteResult) -> String;

    /// Writes the report, for example to standard output.
    fn write_to(&self, suite: &TestSuiteResult, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(self.report(suite).as_bytes())?;
        out.flush()
    }
}

/// The report for people: one line per test with its labels, the failures, and totals.
///
/// ```
/// use agentci::{ConsoleReporter, SuiteReporter, TestSuiteResult};
///
/// let text = ConsoleReporter::default().report(&TestSuiteResult::new("tests", vec![], 0.0));
/// assert!(text.starts_with("suite tests (aumai, 0 cases)\n"));
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct ConsoleReporter {
    color: bool,
}

impl ConsoleReporter {
    /// Sets whether the report uses colour. Default: false.
    #[must_use]
    pub fn with_color(mut self, color: bool) -> Self {
        self.color = color;
        self
    }
}

impl SuiteReporter for ConsoleReporter {
    fn report(&self, suite: &TestSuiteResult) -> String {
        let buffer = Buffer::default();
        let options = ConsoleOptions { color: self.color, verbose: true, ..ConsoleOptions::default() };
        played(suite, Console::new(Box::new(buffer.clone()), options));
        text(&buffer)
    }
}

/// The result as JSON, which [`TestSuiteResult`] reads back.
///
/// ```
/// use agentci::{JsonReporter, SuiteReporter, TestSuiteResult};
///
/// let suite = TestSuiteResult::new("tests", vec![], 1.5);
/// let text = JsonReporter::with_indent(4).report(&suite);
/// assert!(text.starts_with("{\n    \"suite_name\": \"tests\""));
/// assert_eq!(serde_json::from_str::<TestSuiteResult>(&text)?, suite);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct JsonReporter {
    indent: usize,
}

impl Default for JsonReporter {
    fn default() -> Self {
        Self::with_indent(2)
    }
}

impl JsonReporter {
    /// Sets the number of spaces per level of indentation. Default: 2.
    pub fn with_indent(indent: usize) -> Self {
        Self { indent }
    }
}

impl SuiteReporter for JsonReporter {
    fn report(&self, suite: &TestSuiteResult) -> String {
        let indent = " ".repeat(self.indent);
        let mut text = Vec::new();
        let mut serializer = Serializer::with_formatter(&mut text, PrettyFormatter::with_indent(indent.as_bytes()));
        // A result can always be written as JSON: a number that is not finite becomes null.
        let _ = suite.serialize(&mut serializer);
        text.push(b'\n');
        String::from_utf8(text).expect("a report is text")
    }
}

/// The result as `JUnit` XML, which CI servers read.
///
/// ```
/// use agentci::{JunitReporter, SuiteReporter, TestSuiteResult};
///
/// let text = JunitReporter::default().report(&TestSuiteResult::new("tests", vec![], 0.0));
/// assert!(text.contains(r#"<testsuite name="tests" tests="0" failures="0" errors="0""#));
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct JunitReporter;

impl SuiteReporter for JunitReporter {
    fn report(&self, suite: &TestSuiteResult) -> String {
        let buffer = Buffer::default();
        played(suite, Junit::new(buffer.output()));
        text(&buffer)
    }
}

/// Plays a result into a report, which writes to memory and so cannot fail.
fn played(suite: &TestSuiteResult, mut report: impl Reporter) {
    for event in events(suite) {
        let _ = report.on_event(&event);
    }
    let _ = report.finish();
}

fn text(written: &Buffer) -> String {
    String::from_utf8_lossy(&written.take()).into_owned()
}

#[cfg(test)]
mod tests {
    use agentci_report::{AgentTestResult, TestSuiteCollector};

    use super::*;

    #[test]
    fn result_round_trips_through_events() {
        let result = AgentTestResult {
            test_case_name: "a".into(),
            passed: false,
            actual_output: "hi".into(),
            assertions_passed: vec!["contains_text: 'hi'".into()],
            assertions_failed: vec!["max_tokens: 60 exceeds limit 50".into()],
            duration_ms: 0.125,
            tokens_used: 60,
        };
        let good = AgentTestResult { passed: true, assertions_failed: vec![], ..result.clone() };
        let suite = TestSuiteResult::new("s", vec![result, good], 7.3);
        let mut gathered = TestSuiteCollector::default();
        for event in events(&suite) {
            gathered.add(&event);
        }
        assert_eq!(gathered.result(), suite);
        let junit = JunitReporter.report(&suite);
        assert!(junit.contains("time=\"0.007300\"") && junit.contains("name=\"a\" time=\"0.000125\""), "{junit}");
    }

    #[test]
    fn failed_check_message_is_not_a_double_negative() {
        let failed = AgentTestResult {
            test_case_name: "a".into(),
            assertions_passed: vec!["max_tokens: 12 <= 50".into()],
            assertions_failed: vec!["calls_tool: 'x' not found in output".into()],
            ..AgentTestResult::default()
        };
        let text = ConsoleReporter::default().report(&TestSuiteResult::new("s", vec![failed], 1.0));
        assert!(!text.contains("not found in output` failed"), "{text}");
        assert!(text.contains("a: check `calls_tool` failed: 'x' not found in output\n"), "{text}");
        assert!(text.contains("a: check `max_tokens` passed: 12 <= 50\n"), "{text}");
    }
}
