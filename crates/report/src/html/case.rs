//! A case that did not pass, for readers without JavaScript: the findings and the evidence.
//!
//! ```html
//! <details id=c2 class=fail open><summary><b>fail</b><span>t2</span><i>12 ms</i></summary>
//! <div class=finding><h4>`must_call` failed: ..</h4><pre>...</pre></div>
//! <h4>Checks that did not pass</h4><ul class=checks><li class=failed><code>must_call</code></ul>
//! <h4>Final output</h4><pre>{"answer":"..."}</pre>
//! </details>
//! ```

use std::fmt::Write as _;

use agentci_verdict::{CaseEnd, CaseRow, CaseStatus, Stability};

use super::case_details::{CASES, PageCases, PlainEvidence};
use super::page::{definitions, name};
use super::value;
use crate::{Paint, ReportedRun, count_of, cut, decisive_attempt, duration, findings, html_text, one_line, stability};

/// The maximum number of findings of a case that are shown.
const FINDINGS: usize = 5;

/// The first cases that did not pass.
pub(super) fn sections(run: &ReportedRun, gathered: &PageCases, into: &mut String) {
    let count = run.rows.failed().count();
    if count == 0 {
        return;
    }
    into.push_str("<h2>Cases that did not pass</h2>\n");
    if count > CASES {
        let _ = writeln!(
            into,
            "<p class=cut>The first {CASES} of {}; the others only have a row. <code>run.jsonl</code> has all of \
             them.</p>",
            count_of(count, "case"),
        );
    }
    for row in run.rows.failed().take(CASES) {
        section(&run.suite, row, gathered.evidence(row.decisive().index), into);
    }
}

fn section(suite: &str, row: &CaseRow, evidence: Option<&PlainEvidence>, into: &mut String) {
    let end = row.decisive();
    let status = end.status.name();
    let _ = writeln!(
        into,
        "<details id=c{} class={status} open><summary><b>{status}</b><span>{}</span><i>{}</i></summary>",
        end.index + 1,
        name(row.id()),
        duration(row.wall_ms()),
    );
    if let Some(description) = &end.description {
        let _ = writeln!(into, "<p>{}</p>", html_text(cut::head(description, value::SHORT).0));
    }
    facts(row, end, into);
    went_wrong(suite, row, into);
    if let Some(evidence) = evidence {
        if !evidence.checks.is_empty() {
            let _ = writeln!(into, "<h4>Checks that did not pass</h4><ul class=checks>\n{}</ul>", evidence.checks);
        }
        if !evidence.output.is_empty() {
            let _ = writeln!(into, "<h4>Final output</h4>{}", evidence.output);
        }
    }
    if !end.stderr_tail.is_empty() {
        let _ = writeln!(into, "<h4>Standard error</h4>{}", value::end_of(&end.stderr_tail.join("\n"), value::SHORT));
    }
    into.push_str("</details>\n");
}

/// Facts about the case, in one line.
fn facts(row: &CaseRow, end: &CaseEnd, into: &mut String) {
    let mut facts = Vec::new();
    let code = |text: &str| format!("<code>{}</code>", name(text));
    if !end.tags.is_empty() {
        facts.push(("tags", end.tags.iter().take(FINDINGS).map(|tag| code(tag)).collect::<Vec<_>>().join(" ")));
    }
    if let Some(replay) = &end.replay {
        facts.push(("cassette", code(&replay.cassette_path)));
    }
    if !end.metrics.tool_calls_by_name.is_empty() {
        let calls: Vec<String> = (end.metrics.tool_calls_by_name.iter().take(FINDINGS))
            .map(|(name, count)| if *count == 1 { code(name) } else { format!("{} ×{count}", code(name)) })
            .collect();
        facts.push(("tools", calls.join(" ")));
    }
    facts.extend(end.metrics.model_calls.map(|calls| ("model calls", calls.to_string())));
    if let Some(alike) = Stability::of_several(row) {
        let shown = format!("{} of {} passed; run {} is shown", alike.passed, row.runs(), decisive_attempt(row));
        facts.extend([("runs", shown), ("stability", stability::words(&alike))]);
    }
    if !facts.is_empty() {
        definitions("facts", facts, into);
    }
}

fn went_wrong(suite: &str, row: &CaseRow, into: &mut String) {
    let end = row.decisive();
    let texts = findings::each(suite, row, 0, Paint::new(false));
    for (at, text) in texts.iter().enumerate().take(FINDINGS) {
        let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
        let headline = end.findings.get(at).map_or_else(|| first.to_owned(), findings::headline);
        let broken = end.findings.get(at).is_some_and(|finding| finding.cause.status() == CaseStatus::Error);
        let class = if broken { "error" } else { "fail" };
        let headline = html_text(&cut::name(&one_line(&headline), 500)).into_owned();
        let _ = write!(into, "<div class=\"finding {class}\"><h3>{headline}</h3>");
        if !rest.trim().is_empty() {
            into.push_str(&value::text(rest.trim_end(), value::SHORT));
        }
        into.push_str("</div>\n");
    }
    if texts.len() > FINDINGS {
        let _ = writeln!(into, "<p class=cut>{} left out", count_of(texts.len() - FINDINGS, "finding"));
    }
}

/// Why a case did not pass, in a few words.
pub(super) fn reason(end: &CaseEnd, limit: usize) -> String {
    let reason = findings::reason(end).or(end.cause.map(|cause| cause.name().to_owned()));
    reason.map(|reason| cut::name(&reason, limit)).unwrap_or_default()
}
