//! The section of a case: what went wrong, what was checked, what the agent gave and what it did.
//!
//! ```html
//! <details id=c2 class=fail open><summary><b>fail</b><span>t2</span><i>12 ms</i></summary>
//! <h3>What went wrong</h3><div class=finding><h4>check `must_call` did not hold</h4><pre>...</pre></div>
//! <h3>Checks</h3><ul class=checks><li class=held><code>json_schema</code></ul>
//! <h3>Final output</h3><pre>{"answer":"..."}</pre>
//! <h3>Trace</h3><ol class=trace>...</ol>
//! </details>
//! ```

use std::fmt::Write as _;

use agentci_verdict::{CaseEnd, Cause, Row, Status};

use super::gathered::Attempt;
use super::trace::NAME_LIMIT;
use super::value;
use crate::findings::decisive_attempt;
use crate::quantity::{count_of, duration};
use crate::{Paint, cut, findings, html_text, one_line};

/// How many findings of a case are shown.
const FINDINGS: usize = 20;

/// The section of a case.
pub(super) fn section(suite: &str, row: &Row, attempt: &Attempt, into: &mut String) {
    let end = row.decisive();
    let status = end.status.name();
    let wrong = matches!(end.status, Status::Fail | Status::Error);
    let open = if wrong { " open" } else { "" };
    let _ = writeln!(
        into,
        "<details id=c{} class={status}{open}><summary><b>{status}</b><span>{}</span><i>{}</i></summary>",
        end.index + 1,
        html_text(&one_line(&cut::name(&row.id, NAME_LIMIT))),
        duration(row.wall_ms()),
    );
    if let Some(description) = &end.description {
        let _ = writeln!(into, "<p>{}</p>", html_text(cut::head(description, value::LIMIT).0));
    }
    facts(row, end, into);
    if wrong {
        went_wrong(suite, row, into);
    }
    if !attempt.checks.is_empty() {
        into.push_str("<h3>Checks</h3><ul class=checks>\n");
        attempt.checks.write(into, "check");
        into.push_str("</ul>\n");
    }
    if !end.stderr_tail.is_empty() {
        let _ = writeln!(into, "<h3>Standard error</h3>{}", value::end_of(&end.stderr_tail.join("\n"), value::LIMIT));
    }
    if let Some(output) = &attempt.output {
        let _ = writeln!(into, "<h3>Final output</h3>{output}");
    }
    if !attempt.trace.is_empty() {
        into.push_str("<h3>Trace</h3><ol class=trace>\n");
        attempt.trace.write(into, "event");
        into.push_str("</ol>\n");
    }
    if attempt.is_empty() && !wrong {
        into.push_str("<p class=cut>nothing was recorded</p>\n");
    }
    into.push_str("</details>\n");
}

/// What there is to know beside the verdict, a line.
fn facts(row: &Row, end: &CaseEnd, into: &mut String) {
    let mut facts = Vec::new();
    let code = |text: &str| format!("<code>{}</code>", html_text(&one_line(&cut::name(text, NAME_LIMIT))));
    if let Some(cause) = end.cause {
        facts.push(("cause", cause.name().to_owned()));
    }
    if let Some(place) = &end.place {
        facts.push(("suite line", code(&crate::snippet::position(place))));
    }
    if !end.tags.is_empty() {
        facts.push(("tags", end.tags.iter().map(|tag| code(tag)).collect::<Vec<_>>().join(" ")));
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
    if end.runs > 1 {
        let runs: Vec<String> = (row.attempts.iter().take(NAME_LIMIT))
            .map(|attempt| format!("<span class={0}>{0}</span>", attempt.status.name()))
            .collect();
        let shown = decisive_attempt(row);
        facts.push(("runs", format!("{} (of {}; run {shown} is shown)", runs.join(" "), end.runs)));
    }
    if facts.is_empty() {
        return;
    }
    into.push_str("<dl class=facts>");
    for (name, fact) in facts {
        let _ = write!(into, "<div><dt>{name}<dd>{fact}</div>");
    }
    into.push_str("</dl>\n");
}

fn went_wrong(suite: &str, row: &Row, into: &mut String) {
    let end = row.decisive();
    let texts = findings::each(suite, row, 0, Paint::new(false));
    into.push_str("<h3>What went wrong</h3>");
    for (at, text) in texts.iter().enumerate().take(FINDINGS) {
        let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
        let headline = end.findings.get(at).map_or_else(|| first.to_owned(), findings::headline);
        let broken = end.findings.get(at).is_some_and(|finding| finding.cause.status() == Status::Error);
        let class = if broken { "error" } else { "fail" };
        let _ = write!(
            into,
            "<div class=\"finding {class}\"><h4>{}</h4>",
            html_text(&cut::name(&one_line(&headline), 500))
        );
        if !rest.trim().is_empty() {
            into.push_str(&value::text(rest.trim_end(), value::LIMIT));
        }
        into.push_str("</div>\n");
    }
    if texts.len() > FINDINGS {
        let _ = writeln!(into, "<p class=cut>{} left out", count_of(texts.len() - FINDINGS, "finding"));
    }
}

/// Why a case that has no section did not pass, in a few words.
pub(super) fn reason(end: &CaseEnd) -> String {
    let reason = match end.status {
        Status::Pass => None,
        Status::Skipped => end.skip_reason.clone(),
        Status::Fail | Status::Error => {
            findings::decisive(end).map(findings::headline).or(end.cause.map(Cause::name).map(str::to_owned))
        }
    };
    reason.map(|reason| html_text(&one_line(&cut::name(&reason, NAME_LIMIT))).into_owned()).unwrap_or_default()
}
