//! Reports cases for which no agent was run, in the same words for every report.
//!
//! ```text
//! 2 of 2 cases played from recordings: no agent was run
//!
//! GATE FAIL require-agent: 2 cases were answered from recordings, and no agent was run for them
//!   evals/agentci.yaml:6:14: first, second
//!   help: ..
//! ```

use std::fmt::Write as _;

use agentci_source::Place;
use agentci_verdict::Agentless;

use crate::{Paint, ReportedRun, Tone, count_of, first_of, one_line};

/// The maximum number of recordings that are listed, and of cases for each.
const SHOWN: usize = 20;

/// The name of the requirement in reports: it applies to the run as a whole, like a gate.
pub(crate) const NAME: &str = "require-agent";

/// The help for a case that is played from a recording without `played: true`.
pub const HELP: &str = "run the agent instead of its recording (`--mode live`, or remove `recording`): let agentci \
                        start it (`command` in its target) and mock its model and tools (`world: { model, tools }`); \
                        if a case is meant to be played, set `played: true`";

/// `2 of 2 cases played from recordings: no agent was run; 30 cases have no agent`, if there are such cases.
pub(crate) fn sentence(counts: Agentless) -> Option<String> {
    let Agentless { cases, played, without } = counts;
    let mut parts = Vec::new();
    if played > 0 {
        let which = match played {
            all if all == cases => "",
            1 => " for it",
            _ => " for them",
        };
        let cases = count_of(cases, "case");
        parts.push(format!("{played} of {cases} played from recordings: no agent was run{which}"));
    }
    match without {
        0 => {}
        1 => parts.push("1 case has no agent".to_owned()),
        many => parts.push(format!("{many} cases have no agent")),
    }
    (!parts.is_empty()).then(|| parts.join("; "))
}

/// A recording that was played although an agent is required: its place in the suite, and the cases it answered.
pub(crate) struct MissingAgents<'r> {
    pub(crate) place: &'r Place,
    pub(crate) cases: Vec<&'r str>,
}

impl MissingAgents<'_> {
    /// `evals/agentci.yaml:6:14: first, second`
    pub(crate) fn line(&self) -> String {
        let Place { path, line, column, .. } = self.place;
        let shown = first_of(&self.cases, SHOWN);
        match line {
            0 => format!("{path}: {shown}"),
            _ => format!("{path}:{line}:{column}: {shown}"),
        }
    }
}

/// The recordings that fail the run, without duplicates; empty if no agent is required.
pub(crate) fn missing(run: &ReportedRun) -> Vec<MissingAgents<'_>> {
    let mut all: Vec<MissingAgents<'_>> = Vec::new();
    for row in run.rows.kept().filter(|_| run.start.require_agent) {
        let Some(played) = row.lacks_agent() else { continue };
        match all.iter_mut().find(|missing| *missing.place == played.place) {
            Some(missing) => missing.cases.push(row.id()),
            None => all.push(MissingAgents { place: &played.place, cases: vec![row.id()] }),
        }
    }
    all
}

/// `2 cases were answered from recordings, and no agent was run for them`
pub(crate) fn headline(missing: &[MissingAgents<'_>]) -> String {
    match missing.iter().map(|missing| missing.cases.len()).sum() {
        1 => "1 case was answered from a recording, and no agent was run for it".to_owned(),
        many => format!("{} were answered from recordings, and no agent was run for them", count_of(many, "case")),
    }
}

/// The details: the places of the recordings, the cases, and the help.
pub(crate) fn lines(missing: &[MissingAgents<'_>]) -> Vec<String> {
    let mut lines: Vec<String> = missing.iter().take(SHOWN).map(MissingAgents::line).collect();
    if missing.len() > SHOWN {
        lines.push(format!("... and {} more recordings", missing.len() - SHOWN));
    }
    lines.push(format!("help: {HELP}"));
    lines
}

/// The section of the console report.
pub(crate) fn section(run: &ReportedRun, paint: Paint) -> String {
    let missing = missing(run);
    if missing.is_empty() {
        return String::new();
    }
    let mut text = String::from("\n");
    let _ = writeln!(text, "{} {NAME}: {}", paint.apply(Tone::Fail, "GATE FAIL"), headline(&missing));
    for line in lines(&missing) {
        let _ = writeln!(text, "  {}", one_line(&line));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_cases_that_tested_no_agent() {
        let said = |cases, played, without| sentence(Agentless { cases, played, without }).unwrap_or_default();
        assert_eq!(said(3, 0, 0), "");
        assert_eq!(said(2, 2, 0), "2 of 2 cases played from recordings: no agent was run");
        assert_eq!(said(1, 1, 0), "1 of 1 case played from recordings: no agent was run");
        assert_eq!(said(3, 1, 0), "1 of 3 cases played from recordings: no agent was run for it");
        assert_eq!(said(30, 0, 30), "30 cases have no agent");
        assert_eq!(
            said(5, 2, 1),
            "2 of 5 cases played from recordings: no agent was run for them; 1 case has no agent"
        );
    }
}
