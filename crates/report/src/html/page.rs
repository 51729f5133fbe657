//! The page around the cases.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use agentci_verdict::{Aggregates, Row, Status, iso_utc};

use super::case::{reason, section};
use super::gathered::{CASES, Gathered};
use super::trace::NAME_LIMIT;
use crate::overall::{GateLine, Overall, changed, gate_lines, left_undone, percent};
use crate::quantity::{count_of, duration, duration_of};
use crate::run::Run;
use crate::{cut, html_text, one_line};

/// Nothing is loaded, nothing is run, nothing is sent: the page has styles of its own and no more.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";
const STYLE: &str = include_str!("style.css");

/// The longest sentence about a gate.
const SENTENCE_LIMIT: usize = 1000;
/// How many warnings about the baseline are told.
const WARNINGS: usize = 20;

/// The page.
pub(super) fn page(run: &Run, gathered: &Gathered) -> String {
    let numbers = Aggregates::of(&run.rows);
    let overall = Overall::of(run, &numbers);
    let suite = name(&run.suite);
    let mut page = format!(
        "<!doctype html>\n<html lang=en>\n<meta charset=utf-8>\n\
         <meta http-equiv=Content-Security-Policy content=\"{POLICY}\">\n\
         <meta name=viewport content=\"width=device-width,initial-scale=1\">\n\
         <meta name=color-scheme content=\"light dark\">\n\
         <title>{suite}: {}</title>\n<style>\n{STYLE}</style>\n<main>\n",
        overall.word()
    );
    header(run, &numbers, overall, &mut page);
    gates(run, &mut page);
    let shown = shown(run, gathered);
    table(run, gathered, &shown, &numbers, &mut page);
    sections(run, gathered, &shown, &mut page);
    let version = name(&run.start.agentci_version);
    let _ = writeln!(page, "<footer>agentci {version}, {}</footer>\n</main>", moment(run.last_seen));
    page
}

fn name(text: &str) -> String {
    html_text(&one_line(&cut::name(text, NAME_LIMIT))).into_owned()
}

/// `2025-11-15 03:06:40 UTC`
fn moment(unix_ms: u64) -> String {
    let iso = iso_utc(unix_ms);
    format!("{} UTC", iso.split('.').next().unwrap_or_default().replace('T', " "))
}

fn header(run: &Run, numbers: &Aggregates, overall: Overall, into: &mut String) {
    let word = overall.word();
    let _ = writeln!(into, "<header><h1>{}</h1><b class={word}>{word}</b></header>", name(&run.suite));
    if let Some(sentence) = left_undone(run) {
        let _ = writeln!(into, "<p class=undone>{sentence}</p>");
    }
    let rate = if numbers.wall_ms.is_some() { percent(numbers.pass_rate) } else { "none".to_owned() };
    let mut figures = vec![("pass rate", rate), ("total time", duration(run.end().wall_ms))];
    if let Some(wall) = numbers.wall_ms {
        figures.extend([
            ("mean", duration_of(wall.mean)),
            ("p50", duration_of(wall.p50)),
            ("p95", duration_of(wall.p95)),
        ]);
        figures.push(("tool calls", numbers.tool_calls.to_string()));
        figures.push(("tool errors", numbers.tool_errors.to_string()));
    }
    into.push_str("<dl class=figures>");
    for (name, figure) in figures {
        let _ = write!(into, "<div><dt>{name}<dd>{figure}</div>");
    }
    into.push_str("</dl>\n<dl class=facts>");
    let start = &run.start;
    let command = start.agent_command.join(" ");
    let facts = [
        ("run", start.run_id.as_str()),
        ("begun", &moment(run.begun())),
        ("mode", &start.mode),
        ("command", &command),
        ("commit", start.git_sha.as_deref().unwrap_or_default()),
        ("suite file", &start.suite_path),
        ("format", &start.dialect),
    ];
    for (label, fact) in facts.into_iter().filter(|(_, fact)| !fact.is_empty()) {
        let _ = write!(into, "<div><dt>{label}<dd><code>{}</code></div>", name(fact));
    }
    into.push_str("</dl>\n");
}

/// What the run as a whole was held to, and what changed since its baseline.
fn gates(run: &Run, into: &mut String) {
    let Some(report) = run.gates.as_deref() else { return };
    let lines = gate_lines(report);
    if !lines.is_empty() {
        into.push_str("<h2>Gates</h2>\n<ul class=gates>\n");
        for GateLine { name, status, sentence } in &lines {
            let sentence = html_text(&one_line(&cut::name(sentence, SENTENCE_LIMIT))).into_owned();
            let _ = writeln!(into, "<li><b class={status}>{status}</b><code>{name}</code><span>{sentence}</span>");
        }
        into.push_str("</ul>\n");
    }
    let changes = changed(report);
    if let Some(changes) = &changes {
        let path = name(report.baseline_path.as_deref().unwrap_or_default());
        let _ = writeln!(into, "<h2>Since the baseline</h2>\n<p>compared with <code>{path}</code></p>");
        if changes.is_empty() {
            into.push_str("<p class=cut>no case changed</p>\n");
        }
    }
    let warnings = report.comparison.warnings.iter().take(WARNINGS).map(|said| format!("warning: {said}"));
    let told = changes.into_iter().flatten().chain(warnings);
    let told: Vec<String> = told.map(|line| format!("<li>{}\n", name(&line))).collect();
    if !told.is_empty() {
        let _ = writeln!(into, "<ul class=changes>\n{}</ul>", told.concat());
    }
}

/// The positions of the cases that have a section: first those that did not pass, then others.
fn shown(run: &Run, gathered: &Gathered) -> BTreeSet<usize> {
    let passed = |row: &&Row| row.status() == Status::Pass;
    let positions = run.rows.iter().filter(|row| !passed(row)).chain(run.rows.iter().filter(passed));
    let positions = positions.map(|row| row.decisive().index);
    positions.filter(|index| gathered.get(*index).is_some()).take(CASES).collect()
}

/// Every case, with a choice of which to see that needs no script.
fn table(run: &Run, gathered: &Gathered, shown: &BTreeSet<usize>, numbers: &Aggregates, into: &mut String) {
    into.push_str("<h2>Cases</h2>\n<div class=choice>");
    let choices = [
        ("all", "all", numbers.cases_total),
        ("pass", "passed", numbers.cases_pass),
        ("fail", "failed", numbers.cases_fail),
        ("error", "errors", numbers.cases_error),
        ("skipped", "skipped", numbers.cases_skipped),
    ];
    for (class, word, count) in choices {
        let state = if class == "all" {
            " checked"
        } else if count == 0 {
            " disabled"
        } else {
            ""
        };
        let _ = write!(
            into,
            "<label class={class}><input type=radio name=see id=see-{class}{state}>{word} <b>{count}</b></label>"
        );
    }
    into.push_str("</div>\n");
    if run.rows.is_empty() {
        into.push_str("<p class=cut>no case ran\n");
        return;
    }
    into.push_str(
        "<div class=scroll role=region aria-label=cases tabindex=0><table><thead><tr><th>status<th>case<th>time<th>tool calls<th>checks<tbody>\n",
    );
    for row in run.rows.iter() {
        let index = row.decisive().index;
        table_row(row, gathered.held(index), shown.contains(&index), into);
    }
    into.push_str("</table></div>\n");
}

/// `<tr class=fail><td>fail<td><a href=#c2>t2</a><td>12 ms<td>2<td>1/3`
fn table_row(row: &Row, held: Option<usize>, has_section: bool, into: &mut String) {
    let end = row.decisive();
    let (number, status, id) = (end.index + 1, end.status.name(), name(&row.id));
    if has_section {
        let _ = write!(into, "<tr class={status}><td>{status}<td><a href=#c{number}>{id}</a>");
    } else {
        let _ = write!(into, "<tr class={status} id=c{number}><td>{status}<td>{id}");
    }
    let why = reason(end);
    if !why.is_empty() {
        let _ = write!(into, " <span>{why}</span>");
    }
    if end.status == Status::Skipped {
        into.push_str("<td><td><td>\n");
        return;
    }
    let _ = write!(into, "<td>{}<td>{}<td>", duration(row.wall_ms()), end.metrics.tool_calls);
    let checks = end.assertions;
    if checks.total > 0 {
        let _ = write!(into, "{}/{}", held.unwrap_or(checks.total.saturating_sub(checks.failed)), checks.total);
    }
    into.push('\n');
}

fn sections(run: &Run, gathered: &Gathered, shown: &BTreeSet<usize>, into: &mut String) {
    if shown.is_empty() {
        return;
    }
    into.push_str("<h2>What happened</h2>\n");
    let ran = run.rows.iter().filter(|row| row.status() != Status::Skipped).count();
    if ran > shown.len() {
        let _ = writeln!(
            into,
            "<p class=cut>{} shown of {}, those that did not pass first; the others have a row only. <code>run.jsonl</code> \
             has all of them.</p>",
            shown.len(),
            count_of(ran, "case"),
        );
    }
    let (wrong, right): (Vec<&Row>, Vec<&Row>) = run
        .rows
        .iter()
        .filter(|row| shown.contains(&row.decisive().index))
        .partition(|row| row.status() != Status::Pass);
    for row in wrong.into_iter().chain(right) {
        if let Some(attempt) = gathered.get(row.decisive().index) {
            section(&run.suite, row, attempt, into);
        }
    }
}
