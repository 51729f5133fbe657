//! The Markdown report as a consumer of events.

use std::fmt::Write as _;
use std::io::{self, Write};

use agentci_verdict::{Aggregates, CaseRow, CaseStatus, ScoreSummary, Similarity, Stability};

use super::code;
use crate::failures::{self, FailureGroup};
use crate::overall::{PASSED, PENDING, changed, left_undone, overall};
use crate::stability::{deviation, summary_words};
use crate::{
    DocumentReport, Paint, ReportOutput, ReportedRun, RowRef, RunDocument, agents, count_of, cut, duration,
    duration_of, findings, first_of, gate_lines, html_text, in_one_piece, matrix, one_line, percent, score,
};

/// The maximum size of the report: GitHub rejects job step summaries beyond 1 MiB.
const LIMIT: usize = 900 * 1000;
/// The maximum size of one case.
const CASE_LIMIT: usize = 16 * 1024;
/// The maximum length of a name.
const NAME_LIMIT: usize = 200;
/// The maximum length of a sentence in a table.
const SENTENCE_LIMIT: usize = 1000;
/// The maximum number of warnings about the baseline.
const WARNINGS: usize = 20;
/// The number of lines of an agent's standard error that are shown.
const STDERR_LINES: usize = 10;
/// The number of cases of a group that are shown in full.
const EXAMPLES: usize = 3;
/// The number of further cases of a group that are named.
const NAMED: usize = 100;
/// The number of slowest cases that are listed.
const SLOWEST: usize = 5;
/// The maximum number of cases in the stability table.
const MEASURED: usize = 50;
/// The maximum number of rows in the tables of similarities and scores.
const SIMILAR: usize = 20;
/// The size that is reserved for the part after the cases.
const CLOSING: usize = 32 * 1024;

/// Writes `report.md`; several runs follow one another.
pub type Markdown = DocumentReport<MarkdownDocument>;

/// The report of a run.
#[derive(Debug, Default)]
pub struct MarkdownDocument {
    /// A size limit below the default.
    room: Option<usize>,
}

impl Markdown {
    /// Limits the report to `bytes`, as far as omitting cases allows.
    pub fn with_room(output: ReportOutput, bytes: usize) -> Self {
        let begin = move || MarkdownDocument { room: Some(bytes) };
        Self::beginning_with(in_one_piece(output), begin)
    }
}

impl RunDocument for MarkdownDocument {
    const REPORT: &'static str = "markdown";

    fn write(&mut self, runs: &[ReportedRun], out: &mut dyn Write) -> io::Result<()> {
        let limit = self.room.map_or(LIMIT, |room| room.min(LIMIT));
        runs.iter().try_for_each(|run| out.write_all(text(run, limit).as_bytes()))
    }
}

fn text(run: &ReportedRun, limit: usize) -> String {
    let numbers = run.rows.tally().aggregates();
    let mut text = title(run, &numbers);
    text += &agent_missing(run);
    text += &gates(run);
    text += &matrix::markdown(run, limit / 4);
    text += &failures(run, limit.saturating_sub(text.len() + CLOSING));
    text += &stability(run, "###");
    text += &similarities(run);
    text += &scores(run);
    text += &slowest(run);
    text += &origin(run);
    text
}

fn title(run: &ReportedRun, numbers: &Aggregates) -> String {
    let overall = overall(run, numbers);
    let mark = match overall {
        PASSED => "✅",
        PENDING => "⏳",
        _ => "❌",
    };
    let suite = code::span(&cut::name(&run.suite, NAME_LIMIT));
    let mut text = format!("## {mark} {suite}: {overall}\n\n");
    if let Some(sentence) = left_undone(run) {
        let _ = writeln!(text, "{sentence}\n");
    }
    let counts = run.rows.tally().agentless;
    if let Some(sentence) = agents::sentence(counts) {
        let strong = if counts.played > 0 { "**" } else { "" };
        let _ = writeln!(text, "{strong}{sentence}{strong}\n");
    }
    text += "| cases | passed | failed | errors | skipped | pass rate | time |\n|--:|--:|--:|--:|--:|--:|--:|\n";
    let _ = writeln!(
        text,
        "| {} | {} | {} | {} | {} | {} | {} |\n",
        numbers.cases_total,
        numbers.cases_pass,
        numbers.cases_fail,
        numbers.cases_error,
        numbers.cases_skipped,
        percent(numbers.pass_rate),
        duration(run.end().wall_ms),
    );
    text
}

/// The cases that were played from recordings although an agent is required.
fn agent_missing(run: &ReportedRun) -> String {
    let missing = agents::missing(run);
    if missing.is_empty() {
        return String::new();
    }
    let lines: Vec<String> = agents::lines(&missing);
    let lines: Vec<String> = lines.iter().map(|line| one_line(&cut::name(line, SENTENCE_LIMIT)).into_owned()).collect();
    format!("### No agent was run\n\n{}:\n\n{}\n", agents::headline(&missing), code::block(&lines.join("\n")))
}

fn gates(run: &ReportedRun) -> String {
    let Some(report) = run.gates.as_deref() else { return String::new() };
    let mut text = String::new();
    let lines = gate_lines(report);
    if !lines.is_empty() {
        text += "### Gates\n\n| gate | status | details |\n|:--|:--|:--|\n";
        for line in lines {
            let sentence = code::cell(&cut::name(&line.sentence, SENTENCE_LIMIT));
            let _ = writeln!(text, "| {} | {} | {sentence} |", line.name, line.word());
        }
        text.push('\n');
    }
    let warnings = report.comparison.warnings.iter().take(WARNINGS).map(|said| format!("warning: {said}"));
    let told = changed(report).into_iter().flatten().chain(warnings);
    let told: Vec<String> = told.map(|line| one_line(&cut::name(&line, NAME_LIMIT)).into_owned()).collect();
    if !told.is_empty() {
        let _ = writeln!(text, "### Since the baseline\n\n{}", code::block(&told.join("\n")));
    }
    text
}

/// The cases that did not pass, as far as they fit: one by one, or in groups if the run has many cases.
fn failures(run: &ReportedRun, room: usize) -> String {
    let groups = failures::of(run);
    if groups.is_empty() {
        return String::new();
    }
    let mut text = BoundedText { text: String::from("### Cases that did not pass\n\n"), room, left_out: 0 };
    if run.start.cases_total > failures::LISTED {
        for group in &groups {
            text.add(group.rows.len(), || failure_group(run, group));
        }
    } else {
        for row in run.rows.failed() {
            text.add(1, || failure(run, row));
        }
    }
    let BoundedText { mut text, left_out, .. } = text;
    if left_out > 0 {
        let _ = writeln!(text, "**{} that did not pass left out** to limit the size.\n", count_of(left_out, "case"));
    }
    text
}

/// Sections of a limited size together.
struct BoundedText {
    text: String,
    room: usize,
    /// The number of cases that did not fit.
    left_out: usize,
}

impl BoundedText {
    /// Adds a section about this many cases. After the first omitted section all others are omitted, so that the list has
    /// no gaps.
    fn add(&mut self, cases: usize, section: impl FnOnce() -> String) {
        let section = if self.left_out == 0 { section() } else { String::new() };
        if self.left_out > 0 || self.text.len() + section.len() > self.room {
            self.left_out += cases;
        } else {
            self.text += &section;
        }
    }
}

/// Cases that did not pass for the same reason: the first ones in full, the others by id.
fn failure_group(run: &ReportedRun, group: &FailureGroup<'_>) -> String {
    let title = code::span(&one_line(&cut::name(&group.title, NAME_LIMIT)));
    let mut text = format!("**{}**: {title}\n\n", count_of(group.rows.len(), "case"));
    let (examples, others) = group.rows.split_at(group.rows.len().min(EXAMPLES));
    for row in examples {
        text += &failure(run, row);
    }
    if !others.is_empty() {
        let ids: Vec<String> = others.iter().map(|row| cut::name(row.id(), NAME_LIMIT)).collect();
        let _ = writeln!(text, "The same: {}\n", code::span(&one_line(&first_of(&ids, NAMED))));
    }
    text
}

fn failure(run: &ReportedRun, row: &CaseRow) -> String {
    let end = row.decisive();
    let word = if end.status == CaseStatus::Error { "ERROR" } else { "FAIL" };
    let headline = findings::decisive(end).map(findings::headline).unwrap_or_default();
    let inline = |text: &str| html_text(&one_line(&cut::name(text, NAME_LIMIT))).into_owned();
    let mut text = format!("<details><summary><b>{word}</b> <code>{}</code>", inline(row.id()));
    if !headline.is_empty() {
        let _ = write!(text, " <code>{}</code>", inline(&headline));
    }
    let told = findings::render(&run.suite, row, STDERR_LINES, Paint::new(false));
    let (shown, missing) = cut::head(&told, CASE_LIMIT);
    let _ = write!(text, "</summary>\n\n{}", code::block(shown));
    if missing {
        let _ = write!(text, "\nCut after {} KB of {}.\n", CASE_LIMIT / 1024, told.len().div_ceil(1024));
    }
    text + "\n</details>\n\n"
}

/// The stability of cases, unstable ones first.
pub(crate) fn stability(run: &ReportedRun, level: &str) -> String {
    let Some(summary) = run.rows.stability() else { return String::new() };
    let measured = run.rows.kept().filter_map(|row| Some((row, Stability::of_several(row)?)));
    let (stable, unstable): (Vec<_>, Vec<_>) = measured.partition(|(_, stability)| stability.stable);
    let mut text = format!("{level} Stability\n\n{}\n\n", summary_words(&summary));
    text += "| case | class | passed | pass rate | mean | min | max | deviation | same output |\n";
    text += "|:--|:--|--:|--:|--:|--:|--:|--:|--:|\n";
    for (row, stability) in unstable.iter().chain(&stable).take(MEASURED) {
        let _ = writeln!(
            text,
            "| {} | {} | {} of {} | {} | {} | {} | {} | {} | {} |",
            code::cell(&cut::name(row.id(), NAME_LIMIT)),
            stability.stability_class.words(),
            stability.passed,
            stability.runs,
            percent(stability.pass_rate / 100.0),
            duration_of(stability.avg_duration_ms),
            duration(stability.min_duration_ms),
            duration(stability.max_duration_ms),
            deviation(stability),
            stability.identical_outputs.map(percent).unwrap_or_default(),
        );
    }
    let left_out = (stable.len() + unstable.len()).saturating_sub(MEASURED);
    if left_out > 0 {
        let _ = writeln!(text, "\n{} left out to limit the size.", count_of(left_out, "case"));
    }
    text + "\n"
}

/// The similarity of answers to the expected ones, lowest first.
fn similarities(run: &ReportedRun) -> String {
    let mut left_out = 0;
    let mut measured: Vec<(RowRef<'_>, Similarity)> = Vec::new();
    if run.rows.tally().similarities.is_empty() {
        return String::new();
    }
    for row in run.rows.iter() {
        let Some(least) = Similarity::least(&row.decisive().similarities).cloned() else { continue };
        let at = measured.partition_point(|(_, other)| other.similarity.total_cmp(&least.similarity).is_le());
        measured.insert(at, (row, least));
        left_out += usize::from(measured.len() > SIMILAR);
        measured.truncate(SIMILAR);
    }
    let mut text = String::from(
        "### Similarity\n\n| case | similarity | threshold | embedder | facts that differ |\n|:--|--:|--:|:--|:--|\n",
    );
    for (row, similarity) in &measured {
        let threshold = similarity.threshold.map(|threshold| threshold.to_string()).unwrap_or_default();
        let facts = similarity.facts.to_string();
        let facts = if facts.is_empty() { facts } else { code::cell(&cut::name(&facts, NAME_LIMIT)) };
        let [id, embedder] = [row.id(), &similarity.embedder].map(|text| code::cell(&cut::name(text, NAME_LIMIT)));
        let _ = writeln!(text, "| {id} | {} | {threshold} | {embedder} | {facts} |", similarity.shown());
    }
    if left_out > 0 {
        let _ = writeln!(text, "\n{} with higher similarity left out.", count_of(left_out, "case"));
    }
    text + "\n"
}

/// The scores that checks gave.
fn scores(run: &ReportedRun) -> String {
    let summaries = run.rows.tally().scores.summaries();
    if summaries.is_empty() {
        return String::new();
    }
    let mut text = String::from("### Scores\n\n| check | mean | least | cases |\n|:--|--:|--:|--:|\n");
    for ScoreSummary { check, mean, min, cases } in summaries.iter().take(SIMILAR) {
        let check = code::cell(&cut::name(check, NAME_LIMIT));
        let _ = writeln!(text, "| {check} | {} | {} | {cases} |", score::shown(*mean), score::shown(*min));
    }
    let left_out = summaries.len().saturating_sub(SIMILAR);
    if left_out > 0 {
        let _ = writeln!(text, "\n{} left out to limit the size.", count_of(left_out, "check"));
    }
    text + "\n"
}

fn slowest(run: &ReportedRun) -> String {
    let mut ran: Vec<RowRef<'_>> = Vec::new();
    for row in run.rows.iter().filter(|row| row.status() != CaseStatus::Skipped) {
        let at = ran.partition_point(|slower| slower.wall_ms() >= row.wall_ms());
        ran.insert(at, row);
        ran.truncate(SLOWEST);
    }
    if ran.len() < 2 {
        return String::new();
    }
    let of_models = |row: &CaseRow| {
        row.attempts.iter().filter_map(|attempt| attempt.metrics.model_calls).reduce(u64::saturating_add)
    };
    let models = ran.iter().any(|row| of_models(row).is_some());
    let mut text = String::from(if models {
        "### Slowest cases\n\n| case | time | tool calls | model calls |\n|:--|--:|--:|--:|\n"
    } else {
        "### Slowest cases\n\n| case | time | tool calls |\n|:--|--:|--:|\n"
    });
    for row in ran {
        let calls: u64 = row.attempts.iter().map(|attempt| attempt.metrics.tool_calls).sum();
        let id = code::cell(&cut::name(row.id(), NAME_LIMIT));
        let _ = write!(text, "| {id} | {} | {calls} |", duration(row.wall_ms()));
        if models {
            let _ = write!(text, " {} |", of_models(&row).map(|calls| calls.to_string()).unwrap_or_default());
        }
        text.push('\n');
    }
    text.push('\n');
    text
}

/// `mode replay, run ...`: the origin of the numbers.
fn origin(run: &ReportedRun) -> String {
    let start = &run.start;
    let facts = [
        ("mode", start.mode.as_str()),
        ("run", start.run_id.as_str()),
        ("commit", start.git_sha.as_deref().unwrap_or_default()),
        ("agentci", start.agentci_version.as_str()),
    ];
    let told: Vec<String> = facts
        .iter()
        .filter(|(_, fact)| !fact.is_empty())
        .map(|(name, fact)| format!("{name} {}", code::span(&cut::name(fact, NAME_LIMIT))))
        .collect();
    if told.is_empty() { String::new() } else { told.join(", ") + "\n" }
}
