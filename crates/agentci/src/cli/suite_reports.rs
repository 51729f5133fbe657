//! All listeners of the run of one suite: the console, the reports, and the hint on running failed cases again.
//!
//! Events arrive one after the other. While the run is idle, [`SuiteReports::on_idle`] writes what was held back. At
//! the end, [`SuiteReports::finish`] returns what could not be written and what was collected.

use std::io::{self, Write};

use agentci::ledger::{LedgerError, RunFolder, RunJournal};
use agentci::plan::Suite;
use agentci::report::{
    Buffer, Console, ConsoleOptions, FanOut, Html, Junit, PieceSink, ReportError, ReportKind, Reporter, Summary,
};
use agentci::verdict::RunEvent;

use super::github_job::{STEP_SUMMARY, annotations, step_summary};
use super::journaled_console::{CONSOLE, JournaledConsole};
use super::reports::{ReportOf, USUAL, console};
use super::rerun_hint::RerunHint;
use super::{CliContext, RunArguments};

/// The listeners of a run.
pub(super) struct SuiteReports {
    console: JournaledConsole,
    hint: RerunHint,
    reports: FanOut,
    /// The summary, for `--json`.
    summary: Option<Buffer>,
}

/// The results of the listeners after the run.
pub(super) struct FinishedReports {
    /// The reports that could not be written, by name.
    pub(super) unwritten: Vec<(String, ReportError)>,
    /// Why `run.jsonl` is incomplete.
    pub(super) journal_error: Option<LedgerError>,
    pub(super) hint: RerunHint,
    /// The summary; empty without `--json`.
    pub(super) summary: Vec<u8>,
}

impl SuiteReports {
    /// Opens the default reports in the run folder, and the requested ones.
    pub(super) fn open(
        suite: &Suite,
        folder: &RunFolder,
        journal: RunJournal,
        arguments: &RunArguments,
        context: &CliContext,
    ) -> Self {
        let to_file = |name: &'static str| -> PieceSink {
            let folder = folder.clone();
            Box::new(move |write| folder.write_pieces(name, write).map_err(io::Error::other))
        };
        let console = journaled_console(journal, arguments, context);
        let mut reports = FanOut::sharing(console.runs());
        reports.add("summary.json", Box::new(Summary::streamed(to_file("summary.json"))));
        let summary = arguments.json.then(|| keep_summary(suite, &mut reports));
        reports.add("junit.xml", Box::new(Junit::streamed(to_file("junit.xml"))));
        reports.add("report.html", Box::new(Html::streamed(to_file("report.html"))));
        let of = ReportOf { suite: &suite.name, dialect: suite.dialect.name(), folder: folder.path() };
        arguments.reports.add_to(&mut reports, of, &USUAL);
        if let Some(path) = &context.step_summary {
            reports.add(STEP_SUMMARY, Box::new(step_summary(path)));
        }
        Self { console, hint: RerunHint::default(), reports, summary }
    }

    /// Adds a report under its name in error messages.
    pub(super) fn add(&mut self, name: String, report: Box<dyn Reporter>) {
        self.reports.add(name, report);
    }

    /// Passes an event to all listeners, first to the journal and to the runs that the reports share.
    pub(super) fn on_event(&mut self, event: &RunEvent) {
        // Neither of them fails before the end.
        let _ = self.console.on_event(event);
        let _ = self.hint.on_event(event);
        self.reports.on_event(event);
    }

    /// Writes what was held back, while the run is idle.
    pub(super) fn on_idle(&mut self) {
        self.console.release();
    }

    /// Passes the current time on, while nothing happens.
    pub(super) fn on_tick(&mut self, unix_ms: u64) {
        self.console.on_tick(unix_ms);
        self.reports.on_tick(unix_ms);
    }

    /// Ends all reports.
    pub(super) fn finish(mut self) -> FinishedReports {
        let (mut unwritten, journal_error) = self.console.close();
        unwritten.extend(self.reports.finish());
        let summary = self.summary.map(|summary| summary.take()).unwrap_or_default();
        FinishedReports { unwritten, journal_error, hint: self.hint, summary }
    }
}

/// The console output during the run.
fn journaled_console(journal: RunJournal, arguments: &RunArguments, context: &CliContext) -> JournaledConsole {
    let (out, options) = console(arguments.talks_aside(), arguments.verbose, context);
    let live = context.stderr_is_terminal.then(|| Box::new(io::stderr()) as Box<dyn Write>);
    let mut console = JournaledConsole::new(journal, out, context.stderr_is_terminal);
    if context.is_github {
        console.add("GitHub", |out| Box::new(annotations(out)));
    }
    console.add(CONSOLE, |out| Box::new(Console::new(out, ConsoleOptions { live, ..options })));
    console
}

/// Adds the summary for `--json`, in the shape of the suite's format.
fn keep_summary(suite: &Suite, reports: &mut FanOut) -> Buffer {
    let summary = Buffer::default();
    let printed: Box<dyn Reporter> = match ReportKind::json_of(suite.dialect.name()) {
        Some(own) => own.make(summary.output()),
        None => Box::new(Summary::new(summary.output())),
    };
    reports.add("result", printed);
    summary
}
