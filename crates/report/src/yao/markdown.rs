//! The results as Markdown.
//!
//! ```markdown
//! # Test results of `tests.keyword`
//!
//! | agent | connector | total | passed | failed | errors | timeouts | skipped | pass rate | time |
//!
//! ## Environment
//! ## Cases
//!
//! ### ❌ `T001` (12 ms)
//! ## Stability
//! ## Metadata
//! ```

use std::fmt::Write as _;
use std::io::{self, Write};

use agentci_verdict::{RunEvent, Stability, iso_utc};
use serde_json::Value;

use super::record;
use super::run_rows::{YaoCase, YaoRun};
use crate::json_object::plain_text;
use crate::markdown::{code, stability};
use crate::{DocumentReport, ReportedRun, RunDocument, cut, duration, percent, stability as words};

/// The maximum length of a name.
const NAME_LIMIT: usize = 200;
/// The maximum length of an input, an output or a message.
const VALUE_LIMIT: usize = 4 * 1024;

/// Writes the Markdown of a suite's results, one document per run.
pub type YaoMarkdown = DocumentReport<YaoMarkdownPage>;

/// The data of the report.
#[derive(Debug, Default)]
pub struct YaoMarkdownPage(YaoRun);

impl RunDocument for YaoMarkdownPage {
    const REPORT: &'static str = "markdown";

    fn add(&mut self, event: &RunEvent) {
        self.0.add(event);
    }

    fn write(&mut self, _: &[ReportedRun], out: &mut dyn Write) -> io::Result<()> {
        out.write_all(text(&self.0).as_bytes())
    }
}

fn text(gathered: &YaoRun) -> String {
    let run = &gathered.run;
    let mut text = format!("# Test results of {}\n\n", code::span(&cut::name(record::agent(run), NAME_LIMIT)));
    summary(run, &mut text);
    if !run.start.environment.is_empty() {
        let facts = run.start.environment.iter().map(|(name, value)| (name.as_str(), value.clone()));
        facts_table("Environment", facts, &mut text);
    }
    text.push_str("## Cases\n\n");
    for told in gathered.iter() {
        case(told, &mut text);
    }
    text.push_str(&stability(run, "##"));
    let start = &run.start;
    let facts = [
        ("input file", start.suite_path.clone()),
        ("started", iso_utc(run.begun())),
        ("completed", iso_utc(run.last_seen)),
        ("agentci", start.agentci_version.clone()),
    ];
    let options = start.options.iter().map(|(name, value)| (name.as_str(), plain_text(value)));
    facts_table("Metadata", facts.into_iter().chain(options), &mut text);
    text
}

fn summary(run: &ReportedRun, into: &mut String) {
    let numbers = record::summary(run);
    let number = |name: &str| numbers.get(name).and_then(Value::as_u64).expect("the summary has this count");
    #[expect(clippy::cast_precision_loss, reason = "there are fewer cases than a double can count")]
    let rate = if number("total") == 0 { 0.0 } else { number("passed") as f64 / number("total") as f64 };
    let name = |name: &str| code::cell(&cut::name(name, NAME_LIMIT));
    into.push_str("| agent | connector | total | passed | failed | errors | timeouts | skipped | pass rate | time |\n");
    into.push_str("|:--|:--|--:|--:|--:|--:|--:|--:|--:|--:|\n");
    let _ = writeln!(
        into,
        "| {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |\n",
        name(record::agent(run)),
        run.start.connector.as_deref().map(name).unwrap_or_default(),
        number("total"),
        number("passed"),
        number("failed"),
        number("errors"),
        number("timeouts"),
        number("skipped"),
        percent(rate),
        duration(run.end().wall_ms),
    );
}

fn case(told: YaoCase<'_>, into: &mut String) {
    let YaoCase { row, given } = told;
    let status = record::case_status(row);
    let sign = match status {
        "passed" => "✅",
        "skipped" => "⏭️",
        "timeout" => "⏱️",
        "failed" => "❌",
        _ => "⚠️",
    };
    let end = row.decisive();
    let id = code::span(&cut::name(row.id(), NAME_LIMIT));
    let _ = writeln!(into, "### {sign} {id} {status} ({})\n", duration(row.wall_ms()));
    if let Some(stability) = Stability::of_several(row) {
        let _ = writeln!(into, "{}\n", words::words(&stability));
    }
    if let Some(error) = record::error(end) {
        let _ = writeln!(into, "{}", block(&error));
    }
    if status == "skipped" {
        return;
    }
    into.push_str("<details><summary>input and output</summary>\n\n");
    let _ = writeln!(into, "{}", block(&plain_text(record::input(end, given))));
    for output in given.iter().filter_map(|given| given.output.as_deref()) {
        let _ = writeln!(into, "{}", block(&plain_text(output)));
    }
    into.push_str("</details>\n\n");
}

fn block(text: &str) -> String {
    let (shown, missing) = cut::head(text, VALUE_LIMIT);
    let note = if missing { format!("\nCut after {} KB.\n", VALUE_LIMIT / 1024) } else { String::new() };
    code::block(shown) + &note
}

fn facts_table<'f>(title: &str, facts: impl Iterator<Item = (&'f str, String)>, into: &mut String) {
    let _ = writeln!(into, "## {title}\n\n| | |\n|:--|:--|");
    for (name, fact) in facts {
        let _ = writeln!(into, "| {} | {} |", code::cell(name), code::cell(&cut::name(&fact, NAME_LIMIT)));
    }
    into.push('\n');
}
