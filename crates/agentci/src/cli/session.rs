//! Runs suites one after the other: opens what each needs, runs its cases, and prints its last lines.

use std::cell::RefCell;
use std::convert::Infallible;
use std::fmt::Write as _;
use std::future::poll_fn;
use std::path::Path;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use agentci::ledger::{RunFolder, RunJournal};
use agentci::plan::{Suite, TimeLimit};
use agentci::runner::{Budget, RunFacts, Stop};
use agentci::source::{Diagnostic, Diagnostics};
use agentci::verdict::{CaseStatus, ExitStatus, NotLoaded};
use agentci::{LoadedSuite, Settings, Suites};

use super::dialect::OwnResults;
use super::github_job::{annotate_not_loaded, not_loaded};
use super::reports::tell_unwritten;
use super::rerun_hint::RerunHint;
use super::run_metadata::{commit, shown};
use super::suite_reports::{FinishedReports, SuiteReports};
use super::{CliContext, CliError, CommandResult, RUNS, RunArguments, check_worker, gates, open_files, unix_ms};

/// A run of all selected suites.
pub(super) struct RunSession<'s> {
    pub(super) arguments: &'s RunArguments,
    pub(super) context: &'s CliContext,
    pub(super) suites: &'s mut Suites,
    /// What could not be loaded.
    pub(super) not_loaded: Vec<NotLoaded>,
    pub(super) seed: u64,
    /// The budget for live calls.
    pub(super) budget: Arc<Budget>,
    /// The summaries of the suites so far, for `--json`.
    pub(super) summaries: Vec<Vec<u8>>,
}

impl RunSession<'_> {
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
            let ended = self.run_suite(position, stop).await;
            status = status.max(ended.unwrap_or_else(|error| error.tell(self.context)));
        }
        self.tell_spent();
        agentci_process::sweep_all().await;
        if stop.stopped() { ExitStatus::Interrupted } else { status }
    }

    async fn run_suite(&mut self, position: usize, stop: &Stop) -> CommandResult {
        let LoadedSuite { suite, selected, .. } = &self.suites.loaded()[position];
        let mut settings = self.settings(suite);
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
        let facts = RunFacts { not_loaded, ..self.facts(suite, folder.id(), path.as_deref().filter(|_| is_out)) };
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
        let mut settings = Settings::default();
        settings.mode = self.arguments.mode;
        settings.parallel = self.arguments.parallel.unwrap_or_else(|| gates::parallel(suite, settings.parallel));
        settings.fail_fast = self.arguments.fail_fast;
        settings.require_agent = self.arguments.agents.required(suite);
        settings.retries = self.arguments.retries;
        match suite.habits.time_limit {
            TimeLimit::Suite(_) => settings.suite_timeout = self.arguments.timeout,
            TimeLimit::Case => settings.timeout = self.arguments.timeout,
            // It was already applied to cases without their own limit.
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

    /// Prints the cost of live calls, and whether the budget is exceeded.
    fn tell_spent(&self) {
        if let Some(line) = super::record_flags::spent(&self.budget) {
            self.context.print_or_say(&line, self.arguments.talks_aside());
        }
        if let Some(reason) = self.budget.exceeded() {
            let help = "cases that were not run keep their recordings; raise the limit to record them";
            self.context.complain(&format!("the run was stopped: {reason}"), Some(help));
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
