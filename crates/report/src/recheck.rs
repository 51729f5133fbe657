//! What a recheck of a stored run changed, in the same words for every report.
//!
//! ```text
//! rechecked .agentci/runs/demo/20260101-120000 with demo/agentci.yaml: no agent was run
//! 1 verdict changed, 1 case not rechecked
//!
//! case  verdict          check                        result            reason
//! pay   pass -> fail     turn 2: tool_called refund   passed -> failed  `refund` was called with amount 200
//! old   fail -> error    semantic                     not rechecked     the embedder ..
//! ```

use std::fmt::Write as _;

use agentci_text::excerpt;
use agentci_verdict::{CaseEnd, CaseRecheck, CaseStatus, CheckChange, CheckStatus, NotRechecked, RunRecheck};

use serde_json::{Value, json};

use crate::{Paint, ReportedRun, Tone, count_of, one_line};

/// The longest text of a cell, in characters.
const CELL: usize = 60;

/// A line of the table: a check, or a case whose verdict changed for another reason.
pub(crate) struct RecheckLine {
    /// The status now.
    pub(crate) status: CaseStatus,
    pub(crate) case: String,
    /// The verdicts of the attempt before and now, if they differ.
    pub(crate) verdict: String,
    pub(crate) check: String,
    pub(crate) result: String,
    pub(crate) reason: String,
}

/// The lines of all attempts with a difference, in the order of the suite.
pub(crate) fn table(run: &ReportedRun) -> Vec<RecheckLine> {
    let mut lines = Vec::new();
    for row in run.rows.kept() {
        for (number, end) in (1..).zip(&row.attempts) {
            let Some(recheck) = end.recheck.as_deref() else { continue };
            let name = if row.attempts.len() > 1 { format!("{} run {number}", row.id()) } else { row.id().to_owned() };
            lines.extend(of_attempt(&name, end, recheck));
        }
    }
    lines
}

/// What changed, for programs: every attempt whose verdict or checks differ, or that could not be rechecked.
pub(crate) fn document(run: &ReportedRun) -> Option<Value> {
    let facts = run.start.recheck.as_ref()?;
    let mut attempts = Vec::new();
    for row in run.rows.kept() {
        for (number, end) in (1..).zip(&row.attempts) {
            let Some(recheck) = end.recheck.as_deref() else { continue };
            let same = recheck.before == Some(end.status) && recheck.changes.is_empty();
            if !same || !recheck.not_rechecked.is_empty() || !recheck.kept.is_empty() {
                let mut attempt = json!({ "id": row.id(), "attempt": number, "after": end.status });
                let known = serde_json::to_value(recheck).expect("what is reported has a form in JSON");
                if let (Value::Object(attempt), Value::Object(known)) = (&mut attempt, known) {
                    attempt.extend(known);
                }
                attempts.push(attempt);
            }
        }
    }
    Some(json!({ "run": facts.run, "suite": facts.suite, "removed": facts.removed, "attempts": attempts }))
}

fn of_attempt(name: &str, end: &CaseEnd, recheck: &CaseRecheck) -> Vec<RecheckLine> {
    let verdict = match recheck.before {
        Some(before) if before == end.status => before.name().to_owned(),
        Some(before) => format!("{} -> {}", before.name(), end.status.name()),
        None => format!("- -> {}", end.status.name()),
    };
    let line = |check, result: String, reason: &str| RecheckLine {
        status: end.status,
        case: name.to_owned(),
        verdict: verdict.clone(),
        check,
        result,
        reason: reason.to_owned(),
    };
    let not_rechecked =
        |left: &NotRechecked| line(of_turn(left.turn, &left.name), "not rechecked".into(), &left.reason);
    let is_told = |change: &&CheckChange| {
        // The reason is told below.
        !recheck.not_rechecked.iter().any(|left| left.name == change.name && left.turn == change.turn)
    };
    let changed = |change: &CheckChange| {
        let subject = change.subject.as_deref().map(|subject| format!(" {subject}")).unwrap_or_default();
        let result = format!("{} -> {}", words(change.before), words(change.after));
        line(
            of_turn(change.turn, &(change.name.clone() + &subject)),
            result,
            change.message.as_deref().unwrap_or_default(),
        )
    };
    let mut lines: Vec<RecheckLine> = recheck.changes.iter().filter(is_told).map(changed).collect();
    lines.extend(recheck.not_rechecked.iter().map(not_rechecked));
    if lines.is_empty() && recheck.before.is_some_and(|before| before != end.status) {
        let reason = end.findings.first().map(|finding| finding.message.as_str()).unwrap_or_default();
        lines.push(line(String::new(), String::new(), reason));
    }
    lines
}

fn of_turn(turn: Option<u32>, name: &str) -> String {
    turn.map_or_else(|| name.to_owned(), |turn| format!("turn {}: {name}", turn + 1))
}

fn words(status: Option<CheckStatus>) -> &'static str {
    match status {
        None => "none",
        Some(CheckStatus::Passed) => "passed",
        Some(CheckStatus::Failed) => "failed",
        Some(CheckStatus::Error) => "error",
        Some(CheckStatus::NotEvaluated) => "not evaluated",
    }
}

/// `rechecked RUN with SUITE: no agent was run`, and what changed in figures.
pub(crate) fn sentences(run: &ReportedRun, recheck: &RunRecheck) -> Vec<String> {
    let ends = || run.rows.kept().flat_map(|row| &row.attempts);
    let rechecks = || ends().filter_map(|end| Some((end, end.recheck.as_deref()?)));
    let changed = rechecks().filter(|(end, recheck)| recheck.before != Some(end.status)).count();
    let left = rechecks().filter(|(_, recheck)| !recheck.not_rechecked.is_empty()).count();
    let kept: usize = rechecks().map(|(_, recheck)| recheck.kept.len()).sum();
    let mut sentences = vec![format!("rechecked {} with {}: no agent was run", recheck.run, recheck.suite)];
    let figures = format!("{} changed", count_of(changed, "verdict"));
    sentences.push(if left == 0 {
        figures
    } else {
        format!("{figures}, {} not rechecked", count_of(left, "case run"))
    });
    if kept > 0 {
        let checks = count_of(kept, "unchanged check");
        let reasons = rechecks().flat_map(|(_, recheck)| &recheck.kept).map(|kept| kept.reason.as_str());
        let mut reasons: Vec<&str> = reasons.collect();
        reasons.sort_unstable();
        reasons.dedup();
        sentences.push(format!("{checks} with the result of the stored run: {}", reasons.join("; ")));
    }
    if !recheck.removed.is_empty() {
        let cases = count_of(recheck.removed.len(), "case");
        sentences.push(format!("{cases} of the run left out, not in the suite: {}", recheck.removed.join(", ")));
    }
    sentences.push("inputs, tools and the behaviour of the agent are those of the stored run".into());
    sentences
}

/// The section of the console report; empty unless the run is a recheck.
pub(crate) fn section(run: &ReportedRun, paint: Paint) -> String {
    let Some(recheck) = &run.start.recheck else { return String::new() };
    let mut text = String::from("\n");
    let lines = table(run);
    if !lines.is_empty() {
        let cells = |line: &RecheckLine| {
            [&line.case, &line.verdict, &line.check, &line.result]
                .map(|cell| excerpt(&one_line(cell), CELL).into_owned())
        };
        let heading = ["case", "verdict", "check", "result"].map(str::to_owned);
        let rows: Vec<[String; 4]> = std::iter::once(heading).chain(lines.iter().map(cells)).collect();
        let width =
            |column: usize| rows.iter().map(|row| row[column].chars().count()).max().expect("there is a heading");
        let widths = [width(0), width(1), width(2), width(3)];
        let reasons = std::iter::once("reason").chain(lines.iter().map(|line| line.reason.as_str()));
        for (row, reason) in rows.iter().zip(reasons) {
            let mut whole = String::new();
            for (cell, width) in row.iter().zip(widths) {
                let _ = write!(whole, "{cell:width$}  ");
            }
            whole += &one_line(reason);
            let _ = writeln!(text, "{}", whole.trim_end());
        }
        text.push('\n');
    }
    for (position, sentence) in sentences(run, recheck).iter().enumerate() {
        let sentence = one_line(sentence).into_owned();
        let shown = if position == 0 { paint.apply(Tone::Skip, &sentence) } else { sentence };
        let _ = writeln!(text, "{shown}");
    }
    text
}
