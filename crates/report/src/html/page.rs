//! The page: an overview that needs no JavaScript, the data for the script, and the content for readers without
//! JavaScript.

use std::fmt::{Display, Write as _};
use std::io;

use agentci_verdict::{Aggregates, CaseRow, CaseStatus, RunEvent, iso_utc};

use super::assets::{POLICY, SCRIPT, STYLE};
use super::case::sections;
use super::case_details::PageCases;
use super::charts;
use super::page_data::data;
use super::shown_cases;
use super::table::table;
use crate::failures;
use crate::overall::{changed, left_undone, overall};
use crate::{
    DocumentReport, ReportedRun, RunDocument, agents, count_of, cut, duration, duration_of, gate_lines, html_text,
    matrix, one_line, percent, recheck,
};

/// The maximum length of a name.
const NAME_LIMIT: usize = 200;
/// The maximum length of a sentence about a gate.
const SENTENCE_LIMIT: usize = 1000;
/// The maximum number of warnings about the baseline.
const WARNINGS: usize = 20;
/// The maximum number of groups of failures.
const GROUPS: usize = 20;
/// The maximum number of lines about a recheck.
const RECHECKED: usize = 500;
/// The size of the page beyond which details are omitted, in bytes.
const PAGE_LIMIT: usize = 3_600_000;
/// The size that is reserved for details in any case: rows grow with the suite, and evidence matters more than the
/// limit.
const DETAILS_LIMIT: usize = 800_000;

/// Writes `report.html`, one page per run.
pub type Html = DocumentReport<HtmlDocument>;

/// The details of the cases of a run.
#[derive(Debug, Default)]
pub struct HtmlDocument(PageCases);

impl RunDocument for HtmlDocument {
    const REPORT: &'static str = "html";

    fn add(&mut self, event: &RunEvent) {
        self.0.add(event);
    }

    fn write(&mut self, runs: &[ReportedRun], out: &mut dyn io::Write) -> io::Result<()> {
        self.0.close();
        runs.iter().try_for_each(|run| out.write_all(page(run, &self.0).as_bytes()))
    }
}

fn page(run: &ReportedRun, gathered: &PageCases) -> String {
    let numbers = run.rows.tally().aggregates();
    let suite = name(&run.suite);
    let word = overall(run, &numbers);
    let mut page = format!(
        "<!doctype html>\n<html lang=en>\n<meta charset=utf-8>\n\
         <meta http-equiv=Content-Security-Policy content=\"{POLICY}\">\n\
         <meta name=viewport content=\"width=device-width,initial-scale=1\">\n\
         <meta name=color-scheme content=\"light dark\">\n\
         <title>{suite}: {word}</title>\n<style>{STYLE}</style>\n\
         <header><h1>{suite}</h1><b class=\"verdict {word}\">{word}</b></header>\n<main>\n<section id=overview aria-label=overview>\n"
    );
    overview(run, &numbers, &mut page);
    gates(run, &mut page);
    matrix::html(run, &mut page);
    failure_groups(run, &mut page);
    rechecked(run, &mut page);
    shown_cases::left_out(run, &mut page);
    page.push_str("</section>\n<div id=view></div>\n<noscript>\n");
    table(run, gathered, &numbers, &mut page);
    sections(run, gathered, &mut page);
    page.push_str("</noscript>\n</main>\n");
    let version = name(&run.start.agentci_version);
    let _ = writeln!(page, "<footer>agentci {version}, {}</footer>", moment(run.last_seen));
    let room = PAGE_LIMIT.saturating_sub(page.len()).max(DETAILS_LIMIT);
    page += &data(run, gathered, room);
    page + &format!("<script>{SCRIPT}</script>\n")
}

/// An untrusted name, escaped for the page.
pub(crate) fn name(text: &str) -> String {
    shortened(text, NAME_LIMIT)
}

/// A text on one line, truncated to `limit` and escaped.
pub(crate) fn shortened(text: &str, limit: usize) -> String {
    html_text(&one_line(&cut::name(text, limit))).into_owned()
}

/// `<dl class=facts><div><dt>mode<dd>replay</div></dl>`, from texts that are already HTML.
pub(super) fn definitions(class: &str, facts: impl IntoIterator<Item = (impl Display, String)>, into: &mut String) {
    let _ = write!(into, "<dl class={class}>");
    for (name, fact) in facts {
        let _ = write!(into, "<div><dt>{name}<dd>{fact}</div>");
    }
    into.push_str("</dl>\n");
}

/// `2025-11-15 03:06:40 UTC`
fn moment(unix_ms: u64) -> String {
    let iso = iso_utc(unix_ms);
    format!("{} UTC", iso.split('.').next().expect("a split has a first part").replace('T', " "))
}

fn overview(run: &ReportedRun, numbers: &Aggregates, into: &mut String) {
    if let Some(sentence) = left_undone(run) {
        let _ = writeln!(into, "<p class=undone>{sentence}</p>");
    }
    agents(run, into);
    let rate = if numbers.wall_ms.is_some() { percent(numbers.pass_rate) } else { "none".to_owned() };
    let mut figures = vec![
        ("cases", numbers.cases_total.to_string()),
        ("pass rate", rate),
        ("total time", duration(run.end().wall_ms)),
    ];
    let flaky = run.rows.kept().filter(|row| is_flaky(row)).count();
    if flaky > 0 {
        figures.push(("flaky", flaky.to_string()));
    }
    if let Some(stability) = run.rows.stability() {
        let cases = stability.stable_cases + stability.unstable_cases;
        figures.push(("stable", format!("{} of {cases}", stability.stable_cases)));
        figures.push(("runs", stability.total_runs.to_string()));
        figures.push(("passed on average", percent(stability.overall_pass_rate / 100.0)));
    }
    if let Some(wall) = numbers.wall_ms {
        figures.extend([
            ("mean", duration_of(wall.mean)),
            ("p50", duration_of(wall.p50)),
            ("p95", duration_of(wall.p95)),
        ]);
        figures.push(("tool calls", numbers.tool_calls.to_string()));
        figures.push(("tool errors", numbers.tool_errors.to_string()));
        figures.extend(numbers.model_calls.map(|calls| ("model calls", calls.to_string())));
    }
    definitions("figures", figures, into);
    into.push_str("<div class=charts>\n");
    charts::outcomes(numbers, into);
    charts::durations(run, into);
    into.push_str("</div>\n");
    let start = &run.start;
    let command = start.agent_command.join(" ");
    let seed = start.seed.map(|seed| seed.to_string()).unwrap_or_default();
    let facts = [
        ("run", start.run_id.as_str()),
        ("started", &moment(run.begun())),
        ("mode", &start.mode),
        ("command", &command),
        ("commit", start.git_sha.as_deref().unwrap_or_default()),
        ("suite file", &start.suite_path),
        ("format", &start.dialect),
        ("seed", &seed),
        ("agent", start.agent.as_deref().unwrap_or_default()),
        ("connector", start.connector.as_deref().unwrap_or_default()),
    ];
    let environment = start.environment.iter().map(|(label, fact)| (label.as_str(), fact.as_str()));
    let facts = facts.into_iter().chain(environment).filter(|(_, fact)| !fact.is_empty());
    definitions("facts", facts.map(|(label, fact)| (name(label), format!("<code>{}</code>", name(fact)))), into);
}

/// The cases for which no agent was run, and the failure if an agent is required.
fn agents(run: &ReportedRun, into: &mut String) {
    let counts = run.rows.tally().agentless;
    if let Some(sentence) = agents::sentence(counts) {
        let class = if counts.played > 0 { "undone" } else { "quiet" };
        let _ = writeln!(into, "<p class={class}>{sentence}</p>");
    }
    let missing = agents::missing(run);
    if missing.is_empty() {
        return;
    }
    let said = agents::headline(&missing);
    let _ =
        writeln!(into, "<ul class=gates>\n<li><b class=fail>fail</b><code>{}</code><span>{said}</span>", agents::NAME);
    for line in agents::lines(&missing) {
        let _ = writeln!(into, "<li><span>{}</span>", shortened(&line, SENTENCE_LIMIT));
    }
    into.push_str("</ul>\n");
}

/// What a recheck of a stored run changed.
fn rechecked(run: &ReportedRun, into: &mut String) {
    let Some(facts) = &run.start.recheck else { return };
    into.push_str("<h2>Recheck</h2>\n");
    for sentence in recheck::sentences(run, facts) {
        let _ = writeln!(into, "<p>{}", shortened(&sentence, SENTENCE_LIMIT));
    }
    let lines = recheck::table(run);
    if lines.is_empty() {
        return;
    }
    into.push_str("<ul class=gates>\n");
    for line in lines.iter().take(RECHECKED) {
        let (word, case) = (line.status.name(), name(&line.case));
        let said = [&line.verdict, &line.check, &line.result, &line.reason].map(String::as_str);
        let said: Vec<&str> = said.into_iter().filter(|text| !text.is_empty()).collect();
        let said = shortened(&said.join(", "), SENTENCE_LIMIT);
        let _ = writeln!(into, "<li><b class={word}>{word}</b><code>{case}</code><span>{said}</span>");
    }
    into.push_str("</ul>\n");
    if lines.len() > RECHECKED {
        let _ = writeln!(into, "<p>and {} more lines, which are in <code>summary.json</code>", lines.len() - RECHECKED);
    }
}

/// Whether some of its runs passed and some did not.
fn is_flaky(row: &CaseRow) -> bool {
    let passed = row.attempts.iter().filter(|end| end.status == CaseStatus::Pass).count();
    passed > 0 && passed < row.attempts.len()
}

/// What the cases that did not pass have in common, if there are several. The page's script turns each into a filter.
fn failure_groups(run: &ReportedRun, into: &mut String) {
    let groups = failures::of(run);
    if groups.iter().all(|group| group.rows.len() < 2) {
        return;
    }
    into.push_str("<h2>Failures</h2>\n<ul class=failures>\n");
    for group in groups.iter().take(GROUPS) {
        let count = count_of(group.rows.len(), "case");
        let _ = writeln!(into, "<li><b class=fail>{count}</b> <span>{}</span>", shortened(&group.title, NAME_LIMIT));
    }
    into.push_str("</ul>\n");
    let left_out: usize = groups.iter().skip(GROUPS).map(|group| group.rows.len()).sum();
    if left_out > 0 {
        let _ = writeln!(into, "<p class=cut>{} with other reasons", count_of(left_out, "case"));
    }
}

/// The gates of the run, and the changes since the baseline.
fn gates(run: &ReportedRun, into: &mut String) {
    let Some(report) = run.gates.as_deref() else { return };
    let lines = gate_lines(report);
    into.push_str("<div class=columns>\n");
    if !lines.is_empty() {
        into.push_str("<div><h2>Gates</h2>\n<ul class=gates>\n");
        for line in &lines {
            let (name, status, sentence) = (line.name, line.word(), shortened(&line.sentence, SENTENCE_LIMIT));
            let _ = writeln!(into, "<li><b class={status}>{status}</b><code>{name}</code><span>{sentence}</span>");
        }
        into.push_str("</ul></div>\n");
    }
    into.push_str("<div>");
    let changes = changed(report);
    if let Some(changes) = &changes {
        let path = name(report.baseline_path.as_deref().expect("only a baseline has changes"));
        let _ = writeln!(into, "<h2>Since the baseline</h2>\n<p class=quiet>compared with <code>{path}</code></p>");
        if changes.is_empty() {
            into.push_str("<p class=cut>no case changed</p>\n");
        }
    }
    let warnings = report.comparison.warnings.iter().take(WARNINGS).map(|said| format!("warning: {said}"));
    let told = changes.into_iter().flatten().chain(warnings);
    let told: Vec<String> = told.map(|line| format!("<li>{}\n", name(&line))).collect();
    if !told.is_empty() {
        let _ = writeln!(into, "<ul class=changes tabindex=0 aria-label=changes>\n{}</ul>", told.concat());
    }
    into.push_str("</div></div>\n");
}
