//! Everything that listens to the run of one suite: the console, the reports, and the hint how to run failed cases again.
//!
//! Events come in one after the other, and while the run waits, [`SuiteReports::on_idle`] lets out what was held back. At the end
//! [`SuiteReports::finish`] says what could not be written and hands out what was gathered.

use std::io::{self, Write};

use agentci::ledger::{Journal, LedgerError, RunFolder};
use agentci::plan::Suite;
use agentci::report::{
    Console, ConsoleOptions, FanOut, Html, Junit, ReportError, ReportKind, Reporter, Stream, Summary,
};
use agentci::verdict::RunEvent;

use super::context::Context;
use super::github_job::{STEP_SUMMARY, annotations, step_summary};
use super::journaled_console::{CONSOLE, JournaledConsole};
use super::kept::Kept;
use super::reports::{ReportFlags, ReportOf, USUAL};
use super::rerun_hint::RerunHint;

/// What the user asked for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wanted<'w> {
    pub(super) reports: &'w ReportFlags,
    /// Whether the summary is kept to be printed.
    pub(super) json: bool,
    pub(super) verbose: bool,
    /// Whether standard output is taken by data, so that talk goes to standard error.
    pub(super) aside: bool,
}

/// The listeners.
pub(super) struct SuiteReports {
    console: JournaledConsole,
    hint: RerunHint,
    reports: FanOut,
    /// The summary, for `--json`.
    summary: Option<Kept>,
}

/// What is left of them after the run.
pub(super) struct Finished {
    /// The reports that could not be written, by their names.
    pub(super) unwritten: Vec<(String, ReportError)>,
    /// Why `run.jsonl` is not complete.
    pub(super) journal_error: Option<LedgerError>,
    pub(super) hint: RerunHint,
    /// The summary; empty without `--json`.
    pub(super) summary: Vec<u8>,
}

impl SuiteReports {
    /// The usual reports in the folder of the run, and those that are wanted.
    pub(super) fn open(
        suite: &Suite,
        folder: &RunFolder,
        journal: Journal,
        wanted: Wanted<'_>,
        context: &Context,
    ) -> Self {
        let to_file = |name: &'static str| -> Stream {
            let folder = folder.clone();
            Box::new(move |write| folder.write_pieces(name, write).map_err(io::Error::other))
        };
        let mut reports = FanOut::default();
        reports.add("summary.json", Box::new(Summary::streamed(to_file("summary.json"))));
        let summary = wanted.json.then(|| keep_summary(suite, &mut reports));
        reports.add("junit.xml", Box::new(Junit::streamed(to_file("junit.xml"))));
        reports.add("report.html", Box::new(Html::streamed(to_file("report.html"))));
        let of = ReportOf { suite: &suite.name, dialect: suite.dialect.name(), folder: folder.path() };
        wanted.reports.add_to(&mut reports, of, &USUAL);
        if let Some(path) = context.github.as_ref().and_then(|job| job.step_summary.as_ref()) {
            reports.add(STEP_SUMMARY, Box::new(step_summary(path)));
        }
        Self { console: console(journal, wanted, context), hint: RerunHint::default(), reports, summary }
    }

    /// Adds a report under the name its errors are told with.
    pub(super) fn add(&mut self, name: String, report: Box<dyn Reporter>) {
        self.reports.add(name, report);
    }

    /// Hands an event to everyone, and first of all to the journal.
    pub(super) fn on_event(&mut self, event: RunEvent) {
        // Neither of them fails before the end.
        let _ = self.console.on_event(&event);
        let _ = self.hint.on_event(&event);
        self.reports.on_event(&event);
    }

    /// The run waits for something: time to write what was held back.
    pub(super) fn on_idle(&mut self) {
        self.console.release();
    }

    /// Tells how late it is, while nothing happens.
    pub(super) fn on_tick(&mut self, unix_ms: u64) {
        self.console.on_tick(unix_ms);
        self.reports.on_tick(unix_ms);
    }

    /// Ends all reports.
    pub(super) fn finish(mut self) -> Finished {
        let (mut unwritten, journal_error) = self.console.close();
        unwritten.extend(self.reports.finish());
        let summary = self.summary.map(Kept::into_bytes).unwrap_or_default();
        Finished { unwritten, journal_error, hint: self.hint, summary }
    }
}

/// What prints while the run goes on.
fn console(journal: Journal, wanted: Wanted<'_>, context: &Context) -> JournaledConsole {
    let out: Box<dyn Write> = if wanted.aside { Box::new(io::stderr()) } else { Box::new(io::stdout()) };
    let mut console = JournaledConsole::new(journal, out, context.stderr_is_terminal);
    if context.github.is_some() {
        console.add("GitHub", |out| Box::new(annotations(out)));
    }
    let options = ConsoleOptions {
        color: if wanted.aside { context.stderr_color } else { context.stdout_color },
        live: context.stderr_is_terminal.then(|| Box::new(io::stderr()) as Box<dyn Write>),
        verbose: wanted.verbose,
        width: context.width,
    };
    console.add(CONSOLE, |out| Box::new(Console::new(out, options)));
    console
}

/// Adds the summary for `--json`, in the shape that users of the suite's format know.
fn keep_summary(suite: &Suite, reports: &mut FanOut) -> Kept {
    let (summary, output) = Kept::new();
    let printed: Box<dyn Reporter> = match ReportKind::json_of(suite.dialect.name()) {
        Some(own) => own.make(output),
        None => Box::new(Summary::new(output)),
    };
    reports.add("result", printed);
    summary
}
