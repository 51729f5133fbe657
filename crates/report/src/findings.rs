//! What kept a case from passing, in the same words for every report.
//!
//! ```text
//! FAIL demo/t2: check `must_call` did not hold
//!   --> evals/demo/cases/t2.yaml:9:13
//!    |
//!  9 |     tools: [create_issue]
//!    |             ^^^^^^^^^^^^ never called
//!    = the agent called search_docs, search_docs
//!
//! ERROR demo/t7 (run 3 of 5): the agent said nothing for 30 s (timeout)
//!   --> evals/demo/cases/t7.yaml
//!    = stderr: still thinking
//! ```

use agentci_source::Place;
use agentci_verdict::{CaseEnd, CaseRow, CaseStatus, Cause, Finding};

use crate::{Heading, Paint, Snippet, count_of};

/// All findings of the attempt that decided, a blank line between two. With the last one come up to `stderr_lines` of what the
/// agent wrote to its standard error.
pub(crate) fn render(suite: &str, row: &CaseRow, stderr_lines: usize, paint: Paint) -> String {
    each(suite, row, stderr_lines, paint).join("\n")
}

/// The same, one text a finding.
pub(crate) fn each(suite: &str, row: &CaseRow, stderr_lines: usize, paint: Paint) -> Vec<String> {
    let end = row.decisive();
    let unexplained = [unexplained(end)];
    let findings = if end.findings.is_empty() { &unexplained[..] } else { &end.findings[..] };
    let mut texts = Vec::with_capacity(findings.len());
    for (at, finding) in findings.iter().enumerate() {
        let mut notes = notes(finding);
        // An agent that was not told what it asked for was cut off, and a wrong suite is not its doing: what it
        // says of that explains nothing.
        if at + 1 == findings.len() && !matches!(end.cause, Some(Cause::ReplayMiss | Cause::Config)) {
            notes.extend(stderr(&end.stderr_tail, stderr_lines));
        }
        // The case's own line says where to look, but it is not what was not met, so nothing in it is marked.
        let case = end.place.as_ref().map(|place| Place { text: String::new(), ..place.clone() });
        let snippet = Snippet {
            heading: if finding.cause.status() == CaseStatus::Error { Heading::Broken } else { Heading::Fail },
            message: &format!("{suite}/{}{}: {}", row.id(), run_of(row), headline(finding)),
            place: finding.place.as_ref().or(case.as_ref()),
            label: &finding.label,
            notes: &notes,
            help: finding.help.as_deref(),
        };
        texts.push(snippet.render(paint));
    }
    texts
}

/// What is wrong, in one line.
pub(crate) fn headline(finding: &Finding) -> String {
    if finding.cause == Cause::Check {
        let turn = finding.turn.map(|turn| format!(" in turn {}", turn + 1)).unwrap_or_default();
        return format!("check `{}` did not hold{turn}", finding.name);
    }
    let first = finding.message.lines().next().unwrap_or_default().trim_end();
    let turn = finding.turn.map(|turn| format!("turn {}: ", turn + 1)).unwrap_or_default();
    let cause = format!("({})", finding.cause.name());
    if first.ends_with(&cause) { format!("{turn}{first}") } else { format!("{turn}{first} {cause}") }
}

/// The finding that decided, which need not be the first.
pub(crate) fn decisive(end: &CaseEnd) -> Option<&Finding> {
    end.findings.iter().find(|finding| Some(finding.cause) == end.cause).or(end.findings.first())
}

/// Why a case did not pass, on one line where it is known.
pub(crate) fn reason(end: &CaseEnd) -> Option<String> {
    match end.status {
        CaseStatus::Pass => None,
        CaseStatus::Skipped => end.skip_reason.as_deref().map(str::to_owned),
        CaseStatus::Fail | CaseStatus::Error => decisive(end).map(headline),
    }
}

/// Which of several attempts is shown, from 1.
pub(crate) fn decisive_attempt(row: &CaseRow) -> usize {
    let decisive = row.decisive();
    row.attempts.iter().position(|attempt| std::ptr::eq(&raw const **attempt, decisive)).map_or(1, |at| at + 1)
}

fn run_of(row: &CaseRow) -> String {
    let runs = row.decisive().runs;
    if runs > 1 { format!(" (run {} of {runs})", decisive_attempt(row)) } else { String::new() }
}

/// A case that did not pass and gives no reason still has to be told.
fn unexplained(end: &CaseEnd) -> Finding {
    let cause = end.cause.unwrap_or(if end.status == CaseStatus::Error { Cause::Protocol } else { Cause::Check });
    Finding { cause, name: cause.name().to_owned(), message: "no reason was recorded".to_owned(), ..Finding::default() }
}

/// What the headline and the label leave unsaid.
fn notes(finding: &Finding) -> Vec<String> {
    let told = usize::from(finding.cause != Cause::Check);
    let mut notes: Vec<String> = finding.message.lines().skip(told).map(str::to_owned).collect();
    if finding.message.trim() == finding.label.trim() {
        notes.clear();
    }
    for note in &finding.notes {
        if !notes.contains(note) {
            notes.push(note.clone());
        }
    }
    notes
}

fn stderr(tail: &[String], limit: usize) -> Option<String> {
    let lines: Vec<&str> = tail.iter().flat_map(|entry| entry.lines()).collect();
    let shown = &lines[lines.len().saturating_sub(limit)..];
    match shown {
        [] => None,
        [only] if lines.len() == 1 => Some(format!("stderr: {only}")),
        _ if shown.len() == lines.len() => Some(format!("stderr:\n{}", shown.join("\n"))),
        _ => Some(format!("stderr, last {} of {}:\n{}", shown.len(), count_of(lines.len(), "line"), shown.join("\n"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_that_the_label_repeats_is_said_once() {
        let finding = Finding { message: "never called".into(), label: "never called".into(), ..Finding::default() };
        assert!(notes(&finding).is_empty());
        let longer = Finding { label: "missing".into(), ..finding };
        assert_eq!(notes(&longer), ["never called"]);
    }

    #[test]
    fn a_cause_is_named_once() {
        let mut finding =
            Finding { cause: Cause::Timeout, message: "silent (timeout)\nmore".into(), ..Finding::default() };
        assert_eq!(headline(&finding), "silent (timeout)");
        finding.message = "silent".into();
        assert_eq!(headline(&finding), "silent (timeout)");
    }

    #[test]
    fn only_the_end_of_stderr_is_shown() {
        let tail: Vec<String> = (1..=12).map(|number| format!("line {number}")).collect();
        assert_eq!(stderr(&tail, 2).unwrap(), "stderr, last 2 of 12 lines:\nline 11\nline 12");
        assert_eq!(stderr(&tail[..2], 10).unwrap(), "stderr:\nline 1\nline 2");
        assert_eq!(stderr(&tail[..1], 10).unwrap(), "stderr: line 1");
        assert_eq!(stderr(&tail, 0), None);
        assert_eq!(stderr(&[], 10), None);
    }

    #[test]
    fn a_case_without_reasons_is_still_told() {
        let end = CaseEnd { runs: 1, status: CaseStatus::Error, cause: Some(Cause::Hook), ..CaseEnd::default() };
        let row = CaseRow::new(&"t1".into(), [end]);
        assert_eq!(render("demo", &row, 10, Paint::new(false)), "ERROR demo/t1: no reason was recorded (hook)\n");
    }
}
