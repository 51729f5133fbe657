//! A run of suites, one after the other: what each needs is opened, its cases run, and its last lines are printed.

use std::cell::RefCell;
use std::convert::Infallible;
use std::fmt::Write as _;
use std::future::poll_fn;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::task::Poll;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use agentci::ledger::{Journal, LedgerError, RunFolder};
use agentci::plan::{Suite, TimeLimit};
use agentci::report::ReportError;
use agentci::runner::{Budget, Facts, Stop};
use agentci::source::{Diagnostic, Diagnostics};
use agentci::verdict::{ExitStatus, NotLoaded, Status};
use agentci::{LoadedSuite, Settings, Suites};

use super::check_worker;
use super::context::Context;
use super::dialect::{OutPaths, OwnResults};
use super::gates;
use super::github_job::STEP_SUMMARY;
use super::open_files;
use super::rerun_hint::RerunHint;
use super::run_arguments::RunArguments;
use super::run_metadata::facts;
use super::stored::RUNS;
use super::suite_reports::{Finished, SuiteReports, Wanted};

/// A run of all selected suites.
pub(super) struct Session<'s> {
    pub(super) arguments: &'s RunArguments,
    pub(super) context: &'s Context,
    pub(super) suites: &'s mut Suites,
    /// What could not be loaded.
    pub(super) not_loaded: Vec<NotLoaded>,
    pub(super) seed: u64,
    /// What may be spent on the live world.
    pub(super) budget: Arc<Budget>,
    /// The summaries of the suites so far, for `--json`.
    pub(super) summaries: Vec<Vec<u8>>,
}

/// What is open while a suite runs.
struct Opened {
    folder: RunFolder,
    journal: Journal,
    own: OwnResults,
}

impl Session<'_> {
    /// Runs the suites one after the other.
    pub(super) async fn run(&mut self, stop: &Stop) -> ExitStatus {
        let mut status = ExitStatus::Success;
        for position in 0..self.suites.loaded().len() {
            let enough = stop.stopped() || (self.arguments.fail_fast && status != ExitStatus::Success);
            if !self.suites.loaded()[position].is_runnable() || enough {
                continue;
            }
            if self.budget.exceeded().is_some() {
                status = status.max(ExitStatus::Failed);
                break;
            }
            status = status.max(self.run_suite(position, stop).await);
        }
        self.tell_spent();
        agentci_process::sweep_all().await;
        if stop.stopped() { ExitStatus::Interrupted } else { status }
    }

    async fn run_suite(&mut self, position: usize, stop: &Stop) -> ExitStatus {
        let LoadedSuite { suite, selected, .. } = &self.suites.loaded()[position];
        let mut settings = self.settings(suite);
        settings.parallel = open_files::fit(settings.parallel, suite, selected, self.context);
        if !self.tools_are_there(position, &settings).await {
            return ExitStatus::Failed;
        }
        let Some(Opened { folder, journal, own }) = self.open(suite) else { return ExitStatus::Failed };
        let OwnResults { path, is_out, reports: own_reports, writer } = own;
        if !self.summaries.is_empty() && !self.arguments.talks_aside() {
            self.context.print("\n");
        }
        let mut reports = SuiteReports::open(suite, &folder, journal, self.wanted(), self.context);
        for (name, report) in own_reports {
            reports.add(name, report);
        }
        let not_loaded = self.not_loaded.clone();
        let facts = Facts { not_loaded, ..self.facts(suite, folder.id(), path.as_deref().filter(|_| is_out)) };
        let (status, reports) = drive(self.suites, position, &facts, &settings, stop, reports).await;
        let Finished { unwritten, journal_error, hint, summary } = reports.finish();
        let mut complete = self.tell_unwritten(unwritten);
        if let Some(writer) = writer.filter(|_| !stop.stopped()) {
            // Cases have the time that `--timeout` says from their suite; the agent that writes a report is none of them.
            settings.timeout = self.arguments.timeout.or(settings.timeout);
            let asked = (&*self.suites, position);
            complete &= writer.write(asked, &settings, self.arguments.verbose, stop, self.context).await;
        }
        if let Some(error) = journal_error {
            self.context.complain(&format!("run.jsonl is not complete: {error}"), None);
            complete = false;
        }
        self.summaries.push(summary);
        let passed = status <= Status::Skipped;
        self.print_last_lines(&folder, path.as_deref(), (!passed).then_some(&hint));
        if passed && complete { ExitStatus::Success } else { ExitStatus::Failed }
    }

    /// Opens what the run of a suite is written to; says so if that can not be done.
    fn open(&self, suite: &Suite) -> Option<Opened> {
        let RunArguments { dialects, dialects_run, reports, .. } = self.arguments;
        let out = OutPaths { folder: reports.folder(), files: reports.out_paths(&suite.name) };
        let own = match dialects_run.open_results(suite, dialects, out, self.context) {
            Ok(own) => own,
            Err(error) => {
                error.tell(self.context);
                return None;
            }
        };
        let opened =
            self.folder(suite).and_then(|folder| Ok(Opened { journal: Journal::create(&folder)?, folder, own }));
        if let Err(error) = &opened {
            let message = format!("the run folder can not be made: {error}");
            self.context.complain(&message, Some("choose another with `--output-dir`"));
        }
        opened.ok()
    }

    fn folder(&self, suite: &Suite) -> Result<RunFolder, LedgerError> {
        let default = PathBuf::from(RUNS);
        let base = self.arguments.output_dir.as_ref().or(suite.output_dir.as_ref()).unwrap_or(&default);
        RunFolder::create(base, &suite.name, unix_ms())
    }

    fn wanted(&self) -> Wanted<'_> {
        let RunArguments { reports, json, verbose, .. } = self.arguments;
        Wanted { reports, json: *json, verbose: *verbose, aside: self.arguments.talks_aside() }
    }

    /// What is stored of the run beside its events; `out` is the file of results that nobody had to name.
    pub(super) fn facts(&self, suite: &Suite, run_id: &str, out: Option<&Path>) -> Facts {
        facts(suite, run_id, self.arguments.recorded(out), self.arguments.dialects.asker(suite))
    }

    pub(super) fn settings(&self, suite: &Suite) -> Settings {
        let mut settings = Settings::default();
        settings.mode = self.arguments.mode;
        settings.parallel = self.arguments.parallel.unwrap_or_else(|| gates::parallel(suite, settings.parallel));
        settings.fail_fast = self.arguments.fail_fast;
        settings.require_agent = self.arguments.agents.required(suite);
        settings.retries = self.arguments.retries;
        match suite.habits.time_limit {
            TimeLimit::Suite(_) => settings.suite_timeout = self.arguments.timeout,
            TimeLimit::Case => settings.timeout = self.arguments.timeout,
            // Cases without a limit of their own have it already.
            TimeLimit::CaseDefault => {}
        }
        settings.seed = self.seed;
        settings.worker = check_worker::program();
        settings.tap = std::env::current_exe().ok();
        settings.update = self.arguments.recording.update;
        settings.budget = Some(Arc::clone(&self.budget));
        self.arguments.services.apply(&mut settings);
        settings
    }

    /// In record and live mode every tool must be there before anything runs; says so if one is not.
    async fn tools_are_there(&self, position: usize, settings: &Settings) -> bool {
        let Err(error) = self.suites.resolve_tools(position, settings).await else { return true };
        let name = &self.suites.loaded()[position].suite.name;
        match error.span {
            Some(span) => {
                let mut problems = Diagnostics::default();
                problems.push(Diagnostic::error(span, error.message).help(error.help));
                self.context.show(&problems, self.suites.sources());
            }
            None => self.context.complain(&format!("suite `{name}`: {}", error.message), Some(&error.help)),
        }
        false
    }

    /// Says which reports could not be written; whether that is no failure.
    fn tell_unwritten(&self, unwritten: Vec<(String, ReportError)>) -> bool {
        let mut complete = true;
        for (name, error) in unwritten {
            let message = format!("the report {name} could not be written: {error}");
            if name == STEP_SUMMARY {
                // Nobody asked for it by a flag, and in a container the file may be out of reach.
                self.context.say(&format!("warning: {message}\n"));
            } else if !error.is_broken_pipe() {
                // A reader that went away, such as `head`, is no failure.
                self.context.complain(&message, None);
                complete = false;
            }
        }
        complete
    }

    /// Where the results are, and what to do about cases that did not pass.
    fn print_last_lines(&self, folder: &RunFolder, results: Option<&Path>, hint: Option<&RerunHint>) {
        let mut lines = format!("artifacts: {}\n", folder.path().display());
        if let Some(path) = results {
            let _ = writeln!(lines, "results: {}", path.display());
        }
        if let Some(hint) = hint {
            lines += &hint.what_next(self.context, &folder.path().join("report.html"));
        }
        if self.arguments.talks_aside() {
            self.context.say(&lines);
        } else {
            self.context.note(&lines);
            self.context.print(&lines);
        }
    }

    /// What was spent on the live world, and whether that was all that may be.
    fn tell_spent(&self) {
        if let Some(line) = super::record_flags::spent(&self.budget) {
            if self.arguments.talks_aside() {
                self.context.say(&line);
            } else {
                self.context.print(&line);
            }
        }
        if let Some(reason) = self.budget.exceeded() {
            let help = "cases that were not run keep their recordings; raise the limit to record them";
            self.context.complain(&format!("the run was stopped: {reason}"), Some(help));
        }
    }

    /// One suite: its summary; several: a list of them.
    pub(super) fn print_summaries(&self) {
        let texts: Vec<String> =
            self.summaries.iter().map(|bytes| String::from_utf8_lossy(bytes).into_owned()).collect();
        let text = match texts.as_slice() {
            [one] => one.clone(),
            several => {
                let items: Vec<&str> = several.iter().map(|text| text.trim_end()).collect();
                format!("[{}]\n", items.join(",\n"))
            }
        };
        self.context.print(&text);
    }
}

/// Runs the selected cases of a suite and feeds the reports.
async fn drive(
    suites: &mut Suites,
    position: usize,
    facts: &Facts,
    settings: &Settings,
    stop: &Stop,
    reports: SuiteReports,
) -> (Status, SuiteReports) {
    // The run holds on to its listener for as long as it lasts, and the reports have to be reached while it waits.
    let reports = RefCell::new(reports);
    let mut take = |event| reports.borrow_mut().on_event(event);
    let status = tokio::select! {
        biased;
        status = suites.run_suite(position, facts, settings, stop, &mut take) => status,
        // Asked after the run, when that has nothing to do for the moment.
        never = poll_fn(|_| { reports.borrow_mut().on_idle(); Poll::<Infallible>::Pending }) => match never {},
        never = tick(&reports) => match never {},
    };
    (status, reports.into_inner())
}

/// Tells the reports once a second how late it is.
async fn tick(reports: &RefCell<SuiteReports>) -> Infallible {
    loop {
        tokio::time::sleep(Duration::from_secs(1)).await;
        reports.borrow_mut().on_tick(unix_ms());
    }
}

fn unix_ms() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(now.as_millis()).unwrap_or_default()
}
