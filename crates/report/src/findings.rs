//! Why a case did not pass, in the same words for every report.
//!
//! ```text
//! FAIL demo/t2: `must_call` failed: `create_issue` was never called
//!   --> evals/demo/cases/t2.yaml:9:13
//!    |
//!  9 |     tools: [create_issue]
//!    |             ^^^^^^^^^^^^ never called
//!    = the agent called search_docs, search_docs
//!
//! ERROR demo/t7 (run 3 of 5): the agent sent nothing for 30 s (timeout)
//!   --> evals/demo/cases/t7.yaml
//!    = stderr: still thinking
//! ```

use agentci_source::Place;
use agentci_verdict::{CaseEnd, CaseRow, CaseStatus, Cause, Finding};

use crate::{Heading, Paint, Snippet, count_of};

/// All findings of the decisive attempt, separated by blank lines. The last one also shows up to `stderr_lines` lines of the
/// agent's standard error.
pub(crate) fn render(suite: &str, row: &CaseRow, stderr_lines: usize, paint: Paint) -> String {
    each(suite, row, stderr_lines, paint).join("\n")
}

/// The same as [`render`], one string per finding.
pub(crate) fn each(suite: &str, row: &CaseRow, stderr_lines: usize, paint: Paint) -> Vec<String> {
    let end = row.decisive();
    let unexplained = [unexplained(end)];
    let findings = if end.findings.is_empty() { &unexplained[..] } else { &end.findings[..] };
    let mut texts = Vec::with_capacity(findings.len());
    for (at, finding) in findings.iter().enumerate() {
        let mut notes = notes(finding);
        // After a replay miss the agent was cut off, and an invalid suite is not the agent's fault: its standard error explains
        // neither.
        if at + 1 == findings.len() && !matches!(end.cause, Some(Cause::ReplayMiss | Cause::Config)) {
            notes.extend(stderr(&end.stderr_tail, stderr_lines));
        }
        // The line of the case shows where to look, but it is not what failed, so nothing in it is underlined.
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

/// What is wrong, in one line: `` turn 2: `contains` failed: the answer does not contain `reset button` ``.
pub(crate) fn headline(finding: &Finding) -> String {
    let turn = finding.turn.map(|turn| format!("turn {}: ", turn + 1)).unwrap_or_default();
    let first = finding.message.lines().next().unwrap_or_default().trim_end();
    let cause = format!("({})", finding.cause.name());
    // The labels of aumai's expectations begin with their name.
    let reason = first.strip_prefix(&format!("{}: ", finding.name)).unwrap_or(first);
    match finding.cause {
        Cause::Check if first.is_empty() => format!("{turn}`{}` failed", finding.name),
        Cause::Check => format!("{turn}`{}` failed: {reason}", finding.name),
        _ if first.ends_with(&cause) => format!("{turn}{first}"),
        _ => format!("{turn}{first} {cause}"),
    }
}

/// The finding that decided the case, which is not always the first one.
pub(crate) fn decisive(end: &CaseEnd) -> Option<&Finding> {
    end.findings.iter().find(|finding| Some(finding.cause) == end.cause).or(end.findings.first())
}

/// Why a case did not pass or was skipped, in one line.
pub(crate) fn reason(end: &CaseEnd) -> Option<String> {
    match end.status {
        CaseStatus::Pass => None,
        CaseStatus::Skipped => end.skip_reason.as_deref().map(str::to_owned),
        CaseStatus::Fail | CaseStatus::Error => decisive(end).map(headline),
    }
}

/// The number of the attempt that is shown, from 1.
pub(crate) fn decisive_attempt(row: &CaseRow) -> usize {
    let decisive = row.decisive();
    let at = row.attempts.iter().position(|attempt| std::ptr::eq(&raw const **attempt, decisive));
    at.expect("it is one of the attempts") + 1
}

fn run_of(row: &CaseRow) -> String {
    let runs = row.runs();
    if runs > 1 { format!(" (run {} of {runs})", decisive_attempt(row)) } else { String::new() }
}

/// The finding shown for a case that did not pass and recorded no reason.
fn unexplained(end: &CaseEnd) -> Finding {
    let cause = end.cause.unwrap_or(if end.status == CaseStatus::Error { Cause::Protocol } else { Cause::Check });
    Finding { cause, name: cause.name().to_owned(), message: "no reason was recorded".to_owned(), ..Finding::default() }
}

/// What the headline does not say: the other lines of the message, and the notes.
fn notes(finding: &Finding) -> Vec<String> {
    let mut notes: Vec<String> = finding.message.lines().skip(1).map(str::to_owned).collect();
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
    fn headline_has_the_reason_and_notes_have_the_rest() {
        let mut finding = Finding {
            cause: Cause::Check,
            name: "must_call".into(),
            message: "`refund` was never called\nthe agent called no tool".into(),
            notes: vec!["the agent called no tool".into(), "2 requests".into()],
            ..Finding::default()
        };
        assert_eq!(headline(&finding), "`must_call` failed: `refund` was never called");
        assert_eq!(notes(&finding), ["the agent called no tool", "2 requests"]);
        finding.turn = Some(1);
        assert_eq!(headline(&finding), "turn 2: `must_call` failed: `refund` was never called");
        finding.message.clear();
        assert_eq!(headline(&finding), "turn 2: `must_call` failed");
    }

    #[test]
    fn shows_cause_once() {
        let mut finding =
            Finding { cause: Cause::Timeout, message: "silent (timeout)\nmore".into(), ..Finding::default() };
        assert_eq!(headline(&finding), "silent (timeout)");
        finding.message = "silent".into();
        assert_eq!(headline(&finding), "silent (timeout)");
    }

    #[test]
    fn shows_only_the_last_lines_of_stderr() {
        let tail: Vec<String> = (1..=12).map(|number| format!("line {number}")).collect();
        assert_eq!(stderr(&tail, 2).unwrap(), "stderr, last 2 of 12 lines:\nline 11\nline 12");
        assert_eq!(stderr(&tail[..2], 10).unwrap(), "stderr:\nline 1\nline 2");
        assert_eq!(stderr(&tail[..1], 10).unwrap(), "stderr: line 1");
        assert_eq!(stderr(&tail, 0), None);
        assert_eq!(stderr(&[], 10), None);
    }

    #[test]
    fn reports_failed_case_without_recorded_reason() {
        let end = CaseEnd { runs: 1, status: CaseStatus::Error, cause: Some(Cause::Hook), ..CaseEnd::default() };
        let row = CaseRow::new(&"t1".into(), [end]);
        assert_eq!(render("demo", &row, 10, Paint::new(false)), "ERROR demo/t1: no reason was recorded (hook)\n");
    }
}
