//! Sends a message to an assistant, and prints only its answer.
//!
//! ```text
//! $ agentci run -i "Extract keywords: AI and ML" -n keyword
//! AI, ML
//! ```

use std::io::IsTerminal as _;
use std::path::Path;

use agentci::LoadedSuite;
use agentci::report::{FanOut, printable};
use agentci::runner::Stop;
use agentci::verdict::{Body, CaseStatus, ExitStatus, Finding, RunEvent};
use serde_json::Value;

use super::reports::{ReportOf, tell_unwritten};
use super::session::SuiteSession;

/// The parts of the run that are kept.
#[derive(Default)]
struct RunSummary {
    output: Option<Value>,
    findings: Vec<Finding>,
}

impl RunSummary {
    fn add(&mut self, event: &RunEvent) {
        match &event.body {
            Body::FinalOutput(end) => self.output = Some(Value::clone(&end.output)),
            Body::CaseEnd(end) => self.findings.clone_from(&end.findings),
            _ => {}
        }
    }

    /// A string as it is, any other value as JSON; `None` without an answer.
    fn text(&self) -> Option<String> {
        let mut text = match self.output.as_ref()? {
            Value::Null => return None,
            Value::String(text) => text.clone(),
            other => serde_json::to_string_pretty(other).ok()?,
        };
        if !text.ends_with('\n') {
            text.push('\n');
        }
        Some(text)
    }
}

impl SuiteSession<'_> {
    /// Sends the message and prints the answer, or writes it to the requested reports.
    pub(super) async fn answer(&mut self, stop: &Stop) -> ExitStatus {
        let Some(LoadedSuite { suite, .. }) = self.suites.loaded().first() else { return ExitStatus::Failed };
        let mut reports = FanOut::default();
        let of = ReportOf { suite: &suite.name, dialect: suite.dialect.name(), folder: Path::new("") };
        let kept = !self.arguments.reports.add_to(&mut reports, of, &[]).is_empty();
        let mut answer = RunSummary::default();
        let facts = self.facts(suite, "", None);
        let settings = self.settings(suite);
        let mut take = |event| {
            answer.add(&event);
            reports.on_event(&event);
        };
        let status = self.suites.run_suite(0, &facts, &settings, stop, &mut take).await;
        agentci_process::sweep_all().await;
        let mut failed = status > CaseStatus::Skipped;
        if !kept && let Some(text) = answer.text() {
            // A program gets the exact answer; a terminal would interpret its control characters.
            let shown = if std::io::stdout().is_terminal() { printable(&text) } else { text.as_str().into() };
            self.context.print(&shown);
        }
        for finding in &answer.findings {
            self.context.complain(&finding.message, finding.help.as_deref());
        }
        failed |= !tell_unwritten(reports.finish(), self.context).is_empty();
        match (stop.stopped(), failed) {
            (true, _) => ExitStatus::Interrupted,
            (_, true) => ExitStatus::Failed,
            _ => ExitStatus::Success,
        }
    }
}
