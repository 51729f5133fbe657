//! A run of suites: the folder of each, its reports, and the signals that end it.

use std::cell::RefCell;
use std::convert::Infallible;
use std::future::poll_fn;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use std::task::Poll;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use agentci::ledger::{Journal, RunFolder};
use agentci::plan::{Dialect, Suite};
use agentci::report::{
    Console, ConsoleOptions, FanOut, Html, Junit, Output, ReportError, ReportKind, Reporter, Stream, Summary,
};
use agentci::runner::{Facts, Stop, Stopper};
use agentci::source::{Diagnostic, Diagnostics};
use agentci::verdict::{Body, ExitStatus, NotLoaded, RunEvent, Status};
use agentci::{LoadedSuite, Settings, Suites};
use tokio::signal::unix::{Signal, SignalKind, signal};

use super::check_worker;
use super::context::Context;
use super::dialect::scenario::results::ResultFiles;
use super::dialect::yao::report_writer as reporter;
use super::dialect::yao::results::default_out;
use super::gates;
use super::journaled_console::Held;
use super::open_files;
use super::reports::{ReportOf, STEP_SUMMARY, USUAL, add_results, annotations, step_summary};
use super::rerun_hint::Wrong;
use super::run::RunArguments;
use super::run_metadata::facts;

/// The name that errors of what is printed are told with.
const CONSOLE: &str = "console";

/// Where run folders go unless someone says otherwise.
pub(super) const RUNS: &str = ".agentci/runs";

/// A run of all selected suites.
pub(super) struct Session<'s> {
    pub(super) arguments: &'s RunArguments,
    pub(super) context: &'s Context,
    pub(super) suites: &'s mut Suites,
    /// What could not be loaded.
    pub(super) not_loaded: Vec<NotLoaded>,
    pub(super) seed: u64,
    /// The summaries of the suites so far, for `--json`.
    pub(super) summaries: Vec<Vec<u8>>,
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
            status = status.max(self.run_suite(position, stop).await);
        }
        agentci::drivers::sweep_all().await;
        if stop.stopped() { ExitStatus::Interrupted } else { status }
    }

    async fn run_suite(&mut self, position: usize, stop: &Stop) -> ExitStatus {
        let LoadedSuite { suite, selected, .. } = &self.suites.loaded()[position];
        let mut settings = self.settings(suite);
        settings.parallel = open_files::fit(settings.parallel, suite, selected, self.context);
        if let Err(status) = self.tools_are_there(position, &settings).await {
            return status;
        }
        let results = match ResultFiles::open(self.arguments, suite, self.context).transpose() {
            Ok(results) => results,
            Err(error) => {
                let help = Some("choose another folder with `--out`");
                self.context.complain(&format!("the results can not be written: {error}"), help);
                return ExitStatus::Failed;
            }
        };
        let opened = self.folder(suite).and_then(|folder| Ok((Journal::create(&folder)?, Rc::new(folder))));
        let (journal, folder) = match opened {
            Ok(opened) => opened,
            Err(error) => {
                self.context.complain(
                    &format!("the run folder can not be made: {error}"),
                    Some("choose another with `--output-dir`"),
                );
                return ExitStatus::Failed;
            }
        };
        if !self.summaries.is_empty() && !self.aside() {
            self.context.print("\n");
        }
        let summary: Rc<RefCell<Vec<u8>>> = Rc::default();
        let out: Box<dyn Write> = if self.aside() { Box::new(io::stderr()) } else { Box::new(io::stdout()) };
        let held = Held::new(journal, out, self.context.stderr_is_terminal);
        let mut reports = self.reports(suite, &folder, &summary, &held);
        let beside = default_out(self.arguments, suite);
        if let Some(path) = &beside {
            add_results(&mut reports, path, suite.dialect.name());
        }
        let told = reporter::keep(self.arguments, suite, &mut reports);
        if let Some(results) = &results {
            results.add_to(&mut reports);
        }
        let reports = RefCell::new(reports);
        let mut wrong = Wrong::default();
        let facts = Facts {
            not_loaded: self.not_loaded.clone(),
            ..facts(self.arguments, suite, folder.id(), beside.as_deref())
        };
        let mut take = |event: RunEvent| {
            let event = Arc::new(event);
            held.add(&event);
            if matches!(event.body, Body::RunEnd(_)) {
                // Reports of many cases are not written in no time.
                held.release();
            }
            wrong.add(&event);
            reports.borrow_mut().on_event(&event);
            held.handed_on();
        };
        let status = tokio::select! {
            biased;
            status = self.suites.run_suite(position, &facts, &settings, stop, &mut take) => status,
            // Asked after the run, when that has nothing to do for the moment.
            never = poll_fn(|_| { held.release(); Poll::<Infallible>::Pending }) => match never {},
            never = tick(&reports) => match never {},
        };
        let mut failed = status > Status::Skipped;
        let mut unwritten = reports.into_inner().finish();
        let (journal_error, unprinted) = held.finish();
        unwritten.extend(unprinted.map(|source| (CONSOLE.to_owned(), ReportError::Write { report: CONSOLE, source })));
        for (name, error) in unwritten {
            if name == STEP_SUMMARY {
                // Nobody asked for it by a flag, and in a container the file may be out of reach.
                self.context.say(&format!("warning: the report {name} could not be written: {error}\n"));
                continue;
            }
            // A reader that went away, such as `head`, is no failure.
            if !error.is_broken_pipe() {
                self.context.complain(&format!("the report {name} could not be written: {error}"), None);
                failed = true;
            }
        }
        if let Some(told) = told.filter(|_| !stop.stopped()) {
            failed |= !self.write_reports(position, &told, &settings, stop).await;
        }
        if let Some(error) = journal_error {
            self.context.complain(&format!("run.jsonl is not complete: {error}"), None);
            failed = true;
        }
        self.summaries.push(summary.take());
        let mut lines = format!("artifacts: {}\n", shown(folder.path()));
        lines += &beside.map(|path| format!("results: {}\n", shown(&path))).unwrap_or_default();
        lines += &results.map(|results| format!("results: {}\n", shown(results.csv()))).unwrap_or_default();
        if status > Status::Skipped {
            lines += &wrong.what_next(self.context, &folder.path().join("report.html"));
        }
        if self.aside() {
            self.context.say(&lines);
        } else {
            self.context.note(&lines);
            self.context.print(&lines);
        }
        if failed { ExitStatus::Failed } else { ExitStatus::Success }
    }

    fn folder(&self, suite: &Suite) -> Result<RunFolder, agentci::ledger::LedgerError> {
        let default = PathBuf::from(RUNS);
        let base = self.arguments.output_dir.as_ref().or(suite.output_dir.as_ref()).unwrap_or(&default);
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        RunFolder::create(base, &suite.name, u64::try_from(now.as_millis()).unwrap_or_default())
    }

    /// Whether standard output is taken by data, so that talk has to go elsewhere.
    fn aside(&self) -> bool {
        self.arguments.json || self.arguments.reports.take_stdout()
    }

    fn reports(&self, suite: &Suite, folder: &Rc<RunFolder>, summary: &Rc<RefCell<Vec<u8>>>, held: &Held) -> FanOut {
        let to_file = |name: &'static str| -> Stream {
            let folder = Rc::clone(folder);
            Box::new(move |write| folder.write_pieces(name, write).map_err(io::Error::other))
        };
        let mut reports = FanOut::default();
        let aside = self.aside();
        if self.context.github.is_some() {
            reports.add("GitHub", Box::new(annotations(held.out())));
        }
        let options = ConsoleOptions {
            color: if aside { self.context.stderr_color } else { self.context.stdout_color },
            live: self.context.stderr_is_terminal.then(|| Box::new(io::stderr()) as Box<dyn Write>),
            verbose: self.arguments.verbose,
            width: self.context.width,
        };
        reports.add(CONSOLE, Box::new(Console::new(held.out(), options)));
        reports.add("summary.json", Box::new(Summary::streamed(to_file("summary.json"))));
        if self.arguments.json {
            let kept = Rc::clone(summary);
            let keep: Output = Box::new(move |bytes| kept.borrow_mut().write_all(bytes));
            let printed: Box<dyn Reporter> = match ReportKind::json_of(suite.dialect.name()) {
                Some(own) => own.make(keep),
                None => Box::new(Summary::new(keep)),
            };
            reports.add("result", printed);
        }
        reports.add("junit.xml", Box::new(Junit::streamed(to_file("junit.xml"))));
        reports.add("report.html", Box::new(Html::streamed(to_file("report.html"))));
        let of = ReportOf { suite: &suite.name, dialect: suite.dialect.name(), folder: folder.path() };
        self.arguments.reports.add_to(&mut reports, of, &USUAL);
        if let Some(path) = self.context.github.as_ref().and_then(|job| job.step_summary.as_ref()) {
            reports.add(STEP_SUMMARY, Box::new(step_summary(path)));
        }
        reports
    }

    pub(super) fn settings(&self, suite: &Suite) -> Settings {
        let mut settings = Settings::default();
        settings.mode = self.arguments.mode;
        settings.parallel = self.arguments.parallel.unwrap_or_else(|| gates::parallel(suite, settings.parallel));
        settings.fail_fast = self.arguments.fail_fast;
        settings.require_agent = self.arguments.agents.required(suite);
        settings.retries = self.arguments.retries;
        // In some dialects it is the suite as a whole that may take so long.
        match suite.habits.time_limit.of_suite() {
            Some(_) => settings.suite_timeout = self.arguments.timeout,
            // It was told to the reader of the suite: a test's own limit comes before it.
            None if suite.dialect == Dialect::Yao => {}
            None => settings.timeout = self.arguments.timeout,
        }
        settings.seed = self.seed;
        settings.embedder.clone_from(&self.arguments.scenario.embedder);
        settings.semantic_timeout = self.arguments.scenario.semantic_timeout;
        settings.worker = check_worker::program();
        let stub = &self.arguments.scenario;
        settings.stub_bind = stub.stub_bind.unwrap_or(settings.stub_bind);
        settings.stub_port = stub.stub_port.unwrap_or(settings.stub_port);
        settings
    }

    /// In record and live mode every tool must be there before anything runs.
    async fn tools_are_there(&self, position: usize, settings: &Settings) -> Result<(), ExitStatus> {
        let Err(error) = self.suites.resolve_tools(position, settings).await else { return Ok(()) };
        let name = &self.suites.loaded()[position].suite.name;
        match error.span {
            Some(span) => {
                let mut problems = Diagnostics::default();
                problems.push(Diagnostic::error(span, error.message).help(error.help));
                self.context.show(&problems, self.suites.sources());
            }
            None => self.context.complain(&format!("suite `{name}`: {}", error.message), Some(&error.help)),
        }
        Err(ExitStatus::Failed)
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

/// Tells the reports once a second how late it is.
async fn tick(reports: &RefCell<FanOut>) -> Infallible {
    loop {
        tokio::time::sleep(Duration::from_secs(1)).await;
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        reports.borrow_mut().on_tick(u64::try_from(now.as_millis()).unwrap_or_default());
    }
}

/// The folder as the user would name it.
fn shown(path: &Path) -> String {
    path.display().to_string()
}

/// What stops a run when we are asked to end; to be called within a runtime.
pub(super) fn stopped_by_signals() -> Stop {
    let (stopper, stop) = Stopper::new();
    stop_on_signals(stopper);
    stop
}

/// `SIGXFSZ`, which has one number on Linux and macOS.
const FILE_TOO_LARGE: i32 = 25;

/// Stops a run when we are asked to end.
pub(super) fn stop_on_signals(stopper: Stopper) {
    // A file that may not grow any more is an error to be told, where the system would end us.
    let _ = signal(SignalKind::from_raw(FILE_TOO_LARGE));
    // Taken before anything is started. Where they can not be, the system ends us, as it would any program.
    if let Ok(signals) = signals() {
        tokio::spawn(stop_on_signal(signals, stopper));
    }
}

/// The signals that ask us to end. From here on they do not end us by themselves.
fn signals() -> io::Result<[Signal; 3]> {
    Ok([signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?, signal(SignalKind::hangup())?])
}

/// Waits for one of them, and stops the run.
async fn stop_on_signal([mut interrupt, mut terminate, mut hang_up]: [Signal; 3], stopper: Stopper) {
    tokio::select! {
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
        _ = hang_up.recv() => {}
    }
    stopper.stop();
    // The sender must outlive the run: those who wait for it ask it until the end.
    std::future::pending::<()>().await;
}
