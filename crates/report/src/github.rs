//! Annotations that GitHub shows next to the lines of a change.
//!
//! ```text
//! ::error file=evals/demo/cases/t2.yaml,line=9,col=13,title=agentci%3A demo/t2::`must_call` failed: `create_issue` was never called
//! ```
//!
//! A log line that starts with `::` is a command to the GitHub runner, and an agent may print such a line. So commands
//! are stopped while the run is shown, and resumed before the annotations.

use std::io::Write;
use std::path::{Path, PathBuf};

use agentci_source::{Place, join};
use agentci_verdict::{Body, CaseRow, CaseStatus, Finding, GateStatus, RunEvent, Stability};

use crate::{
    ReportError, ReportOutput, ReportedRun, Reporter, Whole, agents, cut, findings, gate_lines, printable, stability,
};

/// The maximum length of a message.
const MESSAGE_LIMIT: usize = 4 * 1024;

/// Annotates the lines of the suite that failed. It must receive events before any report that prints to the same log.
pub struct Github {
    out: Box<dyn Write>,
    token: Option<String>,
    checkout: Option<Checkout>,
    run: Option<ReportedRun>,
}

/// The location of the checkout. GitHub identifies files by their path below its top.
#[derive(Debug, Clone)]
pub struct Checkout {
    /// The top folder of the checkout.
    pub top: PathBuf,
    /// The folder that paths are relative to.
    pub here: PathBuf,
}

impl Checkout {
    /// A path as GitHub expects it; paths outside the checkout stay as they are.
    fn path(&self, shown: &str) -> String {
        let whole = join(&self.here, shown);
        whole.strip_prefix(&self.top).ok().and_then(Path::to_str).unwrap_or(shown).to_owned()
    }
}

impl Github {
    /// Writes to `out`. `token` resumes commands; an agent must not be able to guess it.
    pub fn new(out: Box<dyn Write>, token: impl Into<String>) -> Self {
        Self { out, token: Some(token.into()), checkout: None, run: None }
    }

    /// Writes only the annotations, in one piece.
    pub fn whole(output: ReportOutput, checkout: Option<Checkout>) -> Box<dyn Reporter> {
        Box::new(Whole::new("github", output, |out| Box::new(Self { out, token: None, checkout, run: None })))
    }

    /// Sets the checkout that paths are relative to.
    #[must_use]
    pub fn within(self, checkout: Option<Checkout>) -> Self {
        Self { checkout, ..self }
    }

    /// `::error file=..,line=9,col=13,title=..::message`
    fn annotation(&self, level: &str, place: Option<Spot<'_>>, title: &str, message: &str) -> String {
        let mut properties = Vec::new();
        if let Some((path, line, column)) = place {
            let path = self.checkout.as_ref().map_or_else(|| path.to_owned(), |checkout| checkout.path(path));
            properties.push(format!("file={}", property(&path)));
            if line > 0 {
                properties.push(format!("line={line},col={column}"));
            }
        }
        properties.push(format!("title={}", property(&format!("agentci: {title}"))));
        format!("::{level} {}::{}\n", properties.join(","), data(cut::head(message, MESSAGE_LIMIT).0))
    }

    fn write(&mut self, text: &str) -> Result<(), ReportError> {
        let written = self.out.write_all(text.as_bytes()).and_then(|()| self.out.flush());
        written.map_err(|source| ReportError::Write { report: "github", source })
    }
}

impl Reporter for Github {
    fn on_event(&mut self, event: &RunEvent) -> Result<(), ReportError> {
        if matches!(event.body, Body::RunStart(_)) {
            self.finish()?;
        }
        if let (None, Some(token)) = (&self.run, &self.token) {
            self.write(&format!("::stop-commands::{token}\n"))?;
        }
        self.run.get_or_insert_default().add(event);
        Ok(())
    }

    fn finish(&mut self) -> Result<(), ReportError> {
        let Some(run) = self.run.take() else { return Ok(()) };
        let failed = run.rows.iter().filter(|row| matches!(row.status(), CaseStatus::Fail | CaseStatus::Error));
        let mut text = self.token.as_ref().map(|token| format!("::{token}::\n")).unwrap_or_default();
        let level = if run.held_to_cases() { "error" } else { "warning" };
        for row in failed {
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
        for missing in agents::missing(&run) {
            let message = format!("no agent was run: {}\nhelp: {}", missing.line(), agents::HELP);
            text += &self.annotation("error", Some(spot(missing.place)), &run.suite, &message);
        }
        self.write(&text)
    }
}

/// A path, line and column; the line is 0 for a file as a whole.
type Spot<'s> = (&'s str, u32, u32);

fn spot(place: &Place) -> Spot<'_> {
    (&place.path, place.line, place.column)
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

/// Escapes text after the last `::`.
fn data(text: &str) -> String {
    printable(&text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")).into_owned()
}

/// Escapes text before the last `::`.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_paths_are_relative_to_the_checkout() {
        let checkout = Checkout { top: "/w/repo".into(), here: "/w/repo/bots/a".into() };
        assert_eq!(checkout.path("evals/x.yaml"), "bots/a/evals/x.yaml");
        assert_eq!(checkout.path("./../b/x.yaml"), "bots/b/x.yaml");
        assert_eq!(checkout.path("/w/repo/x.yaml"), "x.yaml");
        assert_eq!(checkout.path("/elsewhere/x.yaml"), "/elsewhere/x.yaml");
    }

    #[test]
    fn escapes_properties_and_data() {
        assert_eq!(property("a:b,c%\n::x"), "a%3Ab%2Cc%25%0A%3A%3Ax");
        assert_eq!(data("50%\r\n::stop"), "50%25%0D%0A::stop");
    }
}
