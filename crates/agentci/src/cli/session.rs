//! Runs suites one after the other: opens what each needs, runs its cases, and prints its last lines.

use std::cell::RefCell;
use std::convert::Infallible;
use std::fmt::Write as _;
use std::future::poll_fn;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use agentci::ledger::{RunFolder, RunJournal};
use agentci::plan::{Suite, TimeLimit};
use agentci::runner::{Budget, RunFacts, Stop};
use agentci::source::{Diagnostic, Diagnostics};
use agentci::verdict::{CaseStatus, ExitStatus, NotLoaded, RunSession as CommandRun};
use agentci::{LoadedSuite, Settings, Suites};

use super::dialect::OwnResults;
use super::github_job::{annotate_not_loaded, not_loaded};
use super::reports::tell_unwritten;
use super::rerun_hint::{self, RerunHint};
use super::resume::ResumedSuite;
use super::run_metadata::{commit, shown};
use super::suite_reports::{FinishedReports, SuiteReports};
use super::{
    CliContext, CliError, CommandResult, RUNS, RunArguments, ceilings, check_worker, gates, open_files, unix_ms,
};

/// A run of all selected suites.
pub(super) struct SuiteSession<'s> {
    pub(super) arguments: &'s RunArguments,
    pub(super) context: &'s CliContext,
    pub(super) suites: &'s mut Suites,
    /// What could not be loaded.
    pub(super) not_loaded: Vec<NotLoaded>,
    pub(super) seed: u64,
    /// The stored run that each suite continues, by position.
    pub(super) resumed: Vec<Option<ResumedSuite>>,
    /// The run whose failed cases are selected, if that is the newest one.
    pub(super) failed_from: Option<PathBuf>,
    /// The ceilings of the run.
    pub(super) budget: Arc<Budget>,
    /// The summaries of the suites so far, for `--json`.
    pub(super) summaries: Vec<Vec<u8>>,
    /// The folders of runs that left cases.
    pub(super) unfinished: Vec<PathBuf>,
}

impl SuiteSession<'_> {
    /// Runs the suites one after the other.
    pub(super) async fn run(&mut self, stop: &Stop) -> ExitStatus {
        let mut status = ExitStatus::Success;
        let command = self.command();
        let mut left_out = false;
        for position in 0..self.suites.loaded().len() {
            let enough = stop.stopped() || (self.arguments.fail_fast && status != ExitStatus::Success);
            if !self.suites.loaded()[position].is_runnable() {
                continue;
            }
            if enough {
                left_out = true;
                continue;
            }
            let ended = self.run_suite(position, command.as_ref(), stop).await;
            status = status.max(ended.unwrap_or_else(|error| error.tell(self.context)));
        }
        self.tell_spent();
        self.tell_how_to_resume(command.is_some(), left_out && stop.stopped());
        agentci_process::sweep_all().await;
        if stop.stopped() { ExitStatus::Interrupted } else { status }
    }

    async fn run_suite(&mut self, position: usize, command: Option<&CommandRun>, stop: &Stop) -> CommandResult {
        let LoadedSuite { suite, selected, .. } = &self.suites.loaded()[position];
        let resumed = self.resumed.get(position).cloned().flatten();
        let mut settings = self.settings(suite);
        settings.seed = resumed.as_ref().and_then(|run| run.seed).unwrap_or(settings.seed);
        settings.parallel = open_files::fit(settings.parallel, suite, selected, self.context);
        self.resolve_tools(position, &settings).await?;
        let (folder, journal, own) = self.open(suite)?;
        let OwnResults { path, is_out, reports: own_reports, writer } = own;
        if !self.summaries.is_empty() && !self.arguments.talks_aside() {
            self.context.print("\n");
        }
        let mut reports = SuiteReports::open(suite, &folder, journal, self.arguments, self.context);
        for (name, report) in own_reports {
            reports.add(name, report);
        }
        let not_loaded = self.not_loaded.clone();
        let finished = resumed.as_ref().map(|run| Arc::clone(&run.finished));
        let session = resumed.and_then(|run| run.session).or_else(|| command.cloned());
        let facts = RunFacts {
            not_loaded,
            session,
            finished: finished.clone(),
            ..self.facts(suite, folder.id(), path.as_deref().filter(|_| is_out))
        };
        let (status, reports) = drive(self.suites, position, &facts, &settings, stop, reports).await;
        let FinishedReports { unwritten, journal_error, hint, summary } = reports.finish();
        let mut complete = tell_unwritten(unwritten, self.context).is_empty();
        if let Some(writer) = writer.filter(|_| !stop.stopped()) {
            // Cases get `--timeout` from their suite; the agent that writes a report is not a case.
            settings.timeout = self.arguments.timeout.or(settings.timeout);
            let asked = (&*self.suites, position);
            complete &= writer.write(asked, &settings, self.arguments.verbose, stop, self.context).await;
        }
        if let Some(error) = journal_error {
            self.context.complain(&format!("`run.jsonl` is incomplete: {error}"), None);
            complete = false;
        }
        if let Some(reason) = finished.as_ref().and_then(|finished| finished.trouble.get()) {
            let message = format!("the results of the resumed run are incomplete: {reason}");
            self.context.complain(&message, Some("run everything again, without `--resume`"));
            complete = false;
        }
        if hint.has_left() {
            self.unfinished.push(folder.path().to_path_buf());
        }
        self.summaries.push(summary);
        let passed = status <= CaseStatus::Skipped;
        self.print_last_lines(&folder, path.as_deref(), (!passed).then_some(&hint));
        Ok(if passed && complete { ExitStatus::Success } else { ExitStatus::Failed })
    }

    /// Opens the files that the run of a suite is written to.
    fn open(&self, suite: &Suite) -> Result<(RunFolder, RunJournal, OwnResults), CliError> {
        let RunArguments { dialects, dialects_run, reports, .. } = self.arguments;
        let own = dialects_run.open_results(suite, dialects, reports, self.context)?;
        let base = self.arguments.output_dir.as_deref().or(suite.output_dir.as_deref()).unwrap_or(Path::new(RUNS));
        let opened = RunFolder::create(base, &suite.name, unix_ms())
            .and_then(|folder| Ok((RunJournal::create(&folder)?, folder)));
        let (journal, folder) = opened.map_err(|error| {
            CliError::new(format!("the run folder cannot be created: {error}"), "choose another with `--output-dir`")
        })?;
        Ok((folder, journal, own))
    }

    /// The facts that are stored with the run; `out` is the default results file.
    pub(super) fn facts(&self, suite: &Suite, run_id: &str, out: Option<&Path>) -> RunFacts {
        RunFacts {
            run_id: run_id.to_owned(),
            git_sha: commit(),
            agent_path: suite.agent_folder.as_deref().map(shown),
            environment: self.arguments.dialects.asker(suite),
            options: self.arguments.recorded(out),
            ..RunFacts::default()
        }
    }

    pub(super) fn settings(&self, suite: &Suite) -> Settings {
        let mut settings = settings(self.arguments, suite);
        settings.seed = self.seed;
        settings.budget = Some(Arc::clone(&self.budget));
        settings
    }

    /// Identifies the command, if it runs several suites.
    fn command(&self) -> Option<CommandRun> {
        let runnable = self.suites.loaded().iter().filter(|loaded| loaded.is_runnable());
        let suites: Vec<String> = runnable.map(|loaded| loaded.suite.name.clone()).collect();
        (suites.len() > 1).then(|| CommandRun { id: format!("{}-{}", unix_ms(), std::process::id()), suites })
    }

    /// Checks that every tool is available in record and live mode, before anything runs.
    async fn resolve_tools(&self, position: usize, settings: &Settings) -> Result<(), CliError> {
        let Err(error) = self.suites.resolve_tools(position, settings).await else { return Ok(()) };
        let Some(span) = error.span else {
            let name = &self.suites.loaded()[position].suite.name;
            return Err(CliError::new(format!("suite `{name}`: {}", error.message), error.help));
        };
        let mut problems = Diagnostics::default();
        problems.push(Diagnostic::error(span, error.message).help(error.help));
        let sources = self.suites.sources();
        self.context.show(&problems, sources);
        annotate_not_loaded(&not_loaded(&problems, sources), self.context, self.arguments.talks_aside());
        Err(CliError::told())
    }

    /// Prints where the results are, and the hint about cases that did not pass.
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

    /// Prints the cost of live calls, and whether a ceiling was reached.
    fn tell_spent(&self) {
        if let Some(line) = ceilings::spent(&self.budget) {
            self.context.print_or_say(&line, self.arguments.talks_aside());
        }
        if let Some(line) = ceilings::unobserved(&self.budget) {
            self.context.say(&line);
        }
        match self.budget.exceeded() {
            Some(reason) if !self.unfinished.is_empty() => {
                let help = "cases that were not run keep their recordings; `--resume` runs them";
                self.context.complain(&format!("the run was stopped: {reason}"), Some(help));
            }
            Some(reason) => self.context.say(&format!("warning: {reason}\n")),
            None => {}
        }
    }

    /// Prints the command that runs what is left. With `several` suites, it continues the last run of each.
    fn tell_how_to_resume(&self, several: bool, left_out: bool) {
        let run = match self.unfinished.as_slice() {
            [] if !left_out => return,
            [only] if !several => Some(only.as_path()),
            _ => None,
        };
        // The newest run of a suite, whose failed cases were selected, is another one now.
        let failed = self.failed_from.as_deref();
        if self.arguments.selection.selects_newest_failed() && (several || failed.is_none()) {
            return;
        }
        if let Some(command) = rerun_hint::resuming(&self.context.arguments, run, failed) {
            let line = self.context.without_secrets(&format!("run the rest: {command}\n"));
            self.context.print_or_say(&line, self.arguments.talks_aside());
        }
    }

    /// Prints the summary of a single suite, or a list of several summaries.
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

/// The settings of a run, without its seed and its ceilings.
pub(super) fn settings(arguments: &RunArguments, suite: &Suite) -> Settings {
    let mut settings = Settings::default();
    settings.mode = arguments.mode;
    settings.parallel = arguments.parallel.unwrap_or_else(|| gates::parallel(suite, settings.parallel));
    settings.fail_fast = arguments.fail_fast;
    settings.require_agent = arguments.agents.required(suite);
    settings.retries = arguments.retries;
    match suite.conventions.time_limit {
        TimeLimit::Suite(_) => settings.suite_timeout = arguments.timeout,
        TimeLimit::Case => settings.timeout = arguments.timeout,
        // It was already applied to cases without their own limit.
        TimeLimit::CaseDefault => {}
    }
    settings.worker = check_worker::program();
    settings.tap = std::env::current_exe().ok();
    settings.update = arguments.recording.update;
    arguments.services.apply(&mut settings);
    settings
}

/// Runs the selected cases of a suite and feeds the reports.
async fn drive(
    suites: &mut Suites,
    position: usize,
    facts: &RunFacts,
    settings: &Settings,
    stop: &Stop,
    reports: SuiteReports,
) -> (CaseStatus, SuiteReports) {
    // The run borrows its listener until it ends, and the reports must be reachable while it waits.
    let reports = RefCell::new(reports);
    let mut take = |event| reports.borrow_mut().on_event(&event);
    let status = tokio::select! {
        biased;
        status = suites.run_suite(position, facts, settings, stop, &mut take) => status,
        // Polled after the run, when that is idle.
        never = poll_fn(|_| { reports.borrow_mut().on_idle(); Poll::<Infallible>::Pending }) => match never {},
        never = tick(&reports) => match never {},
    };
    (status, reports.into_inner())
}

/// Passes the current time to the reports once a second.
async fn tick(reports: &RefCell<SuiteReports>) -> Infallible {
    loop {
        tokio::time::sleep(Duration::from_secs(1)).await;
        reports.borrow_mut().on_tick(unix_ms());
    }
}
