//! Annotations that GitHub shows next to the lines of a change.
//!
//! ```text
//! ::error file=evals/demo/cases/t2.yaml,line=9,col=13,title=agentci%3A demo/t2::`must_call` failed: `create_issue` was never called
//! ```
//!
//! A log line that starts with `::` is a command to the GitHub runner, and an agent may print such a line. So commands
//! are stopped while the run is shown, and resumed before the annotations.

use std::io::Write;

use agentci_verdict::{Body, CaseRow, Finding, GateStatus, RunEvent, Stability};

use crate::annotation::{Spot, annotation, spot};
use crate::overall::left_undone;
use crate::shared_runs::RunsInView;
use crate::{
    BufferedReporter, Checkout, PieceSink, ReportError, ReportOutput, ReportedRun, Reporter, SharedRuns, agents,
    findings, gate_lines, not_loaded_annotations, of_pieces, stability,
};

/// Annotates the lines of the suite that failed. It must receive events before any report that prints to the same log.
pub struct Github {
    out: Box<dyn Write>,
    token: Option<String>,
    checkout: Option<Checkout>,
    runs: RunsInView,
    /// The number of the run that is being reported.
    number: Option<usize>,
}

impl Github {
    /// Writes to `out`. `token` resumes commands; an agent must not be able to guess it.
    pub fn new(out: Box<dyn Write>, token: impl Into<String>) -> Self {
        Self { out, token: Some(token.into()), checkout: None, runs: RunsInView::default(), number: None }
    }

    /// Writes only the annotations, in one piece.
    pub fn whole(output: ReportOutput, checkout: Option<Checkout>) -> Box<dyn Reporter> {
        Box::new(BufferedReporter::new("github", output, |out| {
            Box::new(Self { token: None, ..Self::new(out, "") }.within(checkout))
        }))
    }

    /// The same for an output that takes pieces.
    pub fn streamed(output: PieceSink, checkout: Option<Checkout>) -> Box<dyn Reporter> {
        Self::whole(of_pieces(output), checkout)
    }

    /// Sets the checkout that paths are relative to.
    #[must_use]
    pub fn within(self, checkout: Option<Checkout>) -> Self {
        Self { checkout, ..self }
    }

    fn annotation(&self, level: &str, place: Option<Spot<'_>>, title: &str, message: &str) -> String {
        annotation(self.checkout.as_ref(), level, place, title, message)
    }

    fn write(&mut self, text: &str) -> Result<(), ReportError> {
        let written = self.out.write_all(text.as_bytes()).and_then(|()| self.out.flush());
        written.map_err(|source| ReportError::Write { report: "github", source })
    }
}

impl Reporter for Github {
    fn share(&mut self, runs: &SharedRuns) {
        self.runs.share(runs);
    }

    fn on_event(&mut self, event: &RunEvent) -> Result<(), ReportError> {
        if matches!(event.body, Body::RunStart(_)) {
            self.finish()?;
        }
        if let (None, Some(token)) = (self.number, &self.token) {
            self.write(&format!("::stop-commands::{token}\n"))?;
        }
        self.number = Some(self.runs.add(event));
        Ok(())
    }

    fn finish(&mut self) -> Result<(), ReportError> {
        let Some(number) = self.number.take() else { return Ok(()) };
        let text = self.runs.get(number).map(|run| self.annotations(&run)).unwrap_or_default();
        self.write(&text)
    }
}

impl Github {
    /// The annotations of a run, and the command before them.
    fn annotations(&self, run: &ReportedRun) -> String {
        let mut text = self.token.as_ref().map(|token| format!("::{token}::\n")).unwrap_or_default();
        if self.token.is_none() {
            // In a log, they follow the messages of the loader, which come before the run.
            text += &not_loaded_annotations(&run.start.not_loaded, self.checkout.as_ref());
        }
        let level = if run.held_to_cases() && !run.pending() { "error" } else { "warning" };
        for row in run.rows.failed() {
            let title = format!("{}/{}", run.suite, row.id());
            text.extend(row.decisive().findings.iter().map(|finding| {
                let place = finding.place.as_ref().or(row.decisive().place.as_ref());
                self.annotation(level, place.map(spot), &title, &message(row, finding))
            }));
        }
        for line in run.gates.as_deref().map(gate_lines).unwrap_or_default() {
            if line.status == GateStatus::Fail {
                let message = format!("gate {}: {}", line.name, line.sentence);
                let place = line.place.map_or((&*run.start.suite_path, 0, 0), spot);
                text += &self.annotation("error", Some(place), &run.suite, &message);
            }
        }
        if let Some(left) = left_undone(run).filter(|_| run.end().ceiling.is_some()) {
            let place = Some((&*run.start.suite_path, 0, 0));
            text += &self.annotation("error", place, &run.suite, &left);
        } else if let Some(pending) = left_undone(run).filter(|_| run.pending()) {
            let place = Some((&*run.start.suite_path, 0, 0));
            text += &self.annotation("warning", place, &run.suite, &pending);
        }
        for missing in agents::missing(run) {
            let message = format!("no agent was run: {}\nhelp: {}", missing.line(), agents::HELP);
            text += &self.annotation("error", Some(spot(missing.place)), &run.suite, &message);
        }
        text
    }
}

/// The message and everything that explains it, without repetitions.
fn message(row: &CaseRow, finding: &Finding) -> String {
    let headline = findings::headline(finding);
    let mut lines = vec![headline.as_str()];
    let label = Some(finding.label.as_str()).filter(|label| !finding.message.contains(label));
    let notes = finding.notes.iter().map(String::as_str);
    for line in label.into_iter().chain(finding.message.lines()).chain(notes) {
        if !line.is_empty() && !lines.contains(&line) && !headline.contains(line) {
            lines.push(line);
        }
    }
    let alike = Stability::of_several(row).map(|stability| stability::words(&stability));
    lines.extend(alike.as_deref());
    lines.join("\n")
}
