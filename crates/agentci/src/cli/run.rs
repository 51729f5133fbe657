//! `agentci run`: run suites, write their artifacts, say what failed.

use std::cell::RefCell;
use std::fmt::Write as _;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use agentci::ledger::{Journal, RunFolder};
use agentci::plan::{Diagnostic, Diagnostics, Dialect, Mode, Severity, Suite, parse_duration};
use agentci::report::{Console, ConsoleOptions, FanOut, Html, Junit, Output, Summary, TestSuite};
use agentci::runner::{Facts, Stop, Stopper};
use agentci::verdict::{ExitStatus, Status};
use agentci::{Settings, Suites};
use clap::Args;
use tokio::signal::unix::{Signal, SignalKind, signal};

use super::context::Context;
use super::gates::{self, GateFlags};
use super::mock::MockFlags;
use super::reports::{ReportFlags, ReportOf, STEP_SUMMARY, USUAL, annotations, step_summary};
use super::select::Selection;

/// Arguments of `agentci run`.
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag")]
pub(crate) struct RunArguments {
    /// Folders or files with suites; this folder without any
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    #[command(flatten)]
    selection: Selection,
    #[command(flatten)]
    mock: MockFlags,
    /// Where the answers of tools come from: replay, record or live
    #[arg(long, value_name = "MODE", value_parser = mode)]
    mode: Option<Mode>,
    /// How many cases run at once; as many as there are cores without it
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    parallel: Option<usize>,
    /// How long a case may take, e.g. `90s`; in the aumai format, the whole suite
    #[arg(long, value_name = "DURATION", value_parser = parse_duration)]
    timeout: Option<Duration>,
    /// Start no further case after the first that does not pass
    #[arg(long)]
    fail_fast: bool,
    /// What every draw depends on; drawn anew and shown without it
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Say what would be run, and run nothing
    #[arg(long)]
    dry_run: bool,
    /// Print the summary (in the aumai format the result) as JSON to standard output, and everything else to standard error
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    gates: GateFlags,
    #[command(flatten)]
    reports: ReportFlags,
    /// The folder for run folders; the suite's own or `.agentci/runs` without it
    #[arg(long, value_name = "DIR")]
    output_dir: Option<PathBuf>,
    /// Show every check and tool call
    #[arg(short, long)]
    verbose: bool,
}

fn mode(word: &str) -> Result<Mode, String> {
    let known = Mode::NAMES.iter().find(|(name, _)| *name == word).map(|(_, mode)| *mode);
    known.ok_or_else(|| "it is one of replay, record, live".into())
}

fn at_least_one(text: &str) -> Result<usize, String> {
    text.parse().ok().filter(|count| *count >= 1).ok_or_else(|| "it is a whole number, 1 or more".into())
}

/// The paths given, or this folder.
pub(crate) fn or_here(paths: &[PathBuf]) -> Vec<PathBuf> {
    if paths.is_empty() { vec![PathBuf::from(".")] } else { paths.to_vec() }
}

pub(crate) fn run(arguments: &RunArguments, context: &Context) -> ExitStatus {
    let mut suites = Suites::load_with(or_here(&arguments.paths), &arguments.mock.source());
    if !arguments.mock.fit(&suites, context) {
        return ExitStatus::Failed;
    }
    let selected = match arguments.selection.apply(suites.plan()) {
        Ok(selected) => selected,
        Err(nothing) => {
            context.show(suites.problems(), &suites.plan().sources);
            context.complain(&nothing.message, Some(&nothing.help));
            return ExitStatus::Failed;
        }
    };
    context.show(&not_told_later(&suites, &selected), &suites.plan().sources);
    if let Err(misfit) = arguments.reports.fit(&to_run(&suites, &selected), arguments.json) {
        context.complain(&misfit.message, Some(&misfit.help));
        return ExitStatus::Failed;
    }
    let to_run = to_run(&suites, &selected).len();
    if !arguments.gates.apply(&mut suites, to_run, context) {
        return ExitStatus::Failed;
    }
    if arguments.dry_run {
        return dry_run(&suites, &selected, arguments.json, context);
    }
    gates::complain(&suites, &selected, context);
    let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            context.complain(&format!("no runtime could be made: {error}"), None);
            return ExitStatus::Failed;
        }
    };
    let seed = arguments.seed.unwrap_or_else(draw_seed);
    let mut session = Session { arguments, context, suites: &suites, seed, summaries: Vec::new() };
    let status = runtime.block_on(session.run(&selected));
    if arguments.json {
        session.print_summaries();
    }
    let wrong = suites.problems().has_errors();
    if wrong { status.max(ExitStatus::Failed) } else { status }
}

/// The problems that no case of the run will tell of.
fn not_told_later(suites: &Suites, selected: &[Vec<usize>]) -> Diagnostics {
    let mut told = Vec::new();
    for (position, (suite, selected)) in suites.plan().suites.iter().zip(selected).enumerate() {
        let ready = &suites.ready().suites[position];
        if ready.refused {
            continue;
        }
        for index in selected {
            told.extend(suite.cases[*index].broken.iter().flatten().chain(&ready.cases[*index].problems));
        }
    }
    let mut rest = Diagnostics::default();
    for problem in suites.problems() {
        if problem.severity == Severity::Warning || !told.contains(&problem) {
            rest.push(problem.clone());
        }
    }
    rest
}

/// The names of the suites of which something is to be run.
fn to_run<'s>(suites: &'s Suites, selected: &[Vec<usize>]) -> Vec<&'s str> {
    let refused = |position: usize| suites.ready().suites[position].refused;
    let named = suites.plan().suites.iter().zip(selected).enumerate();
    let runs = named.filter(|(position, (_, selected))| !selected.is_empty() && !refused(*position));
    runs.map(|(_, (suite, _))| suite.name.as_str()).collect()
}

fn dry_run(suites: &Suites, selected: &[Vec<usize>], json: bool, context: &Context) -> ExitStatus {
    if json {
        context.print(&super::list::as_json(suites.plan(), selected));
        return if suites.problems().has_errors() { ExitStatus::Failed } else { ExitStatus::Success };
    }
    let mut text = String::new();
    for (suite, selected) in suites.plan().suites.iter().zip(selected) {
        for case in selected.iter().map(|index| &suite.cases[*index]) {
            let skipped = if case.skip.is_some() { " (skipped)" } else { "" };
            let _ = writeln!(text, "would run {}/{}{skipped}", suite.name, case.id);
        }
    }
    context.print(&agentci::report::printable(&text));
    if suites.problems().has_errors() { ExitStatus::Failed } else { ExitStatus::Success }
}

struct Session<'s> {
    arguments: &'s RunArguments,
    context: &'s Context,
    suites: &'s Suites,
    seed: u64,
    /// The summaries of the suites so far, for `--json`.
    summaries: Vec<Vec<u8>>,
}

impl Session<'_> {
    async fn run(&mut self, selected: &[Vec<usize>]) -> ExitStatus {
        let (stopper, stop) = Stopper::new();
        // Taken before anything is started. Where they can not be, the system ends us, as it would any program.
        if let Ok(signals) = signals() {
            tokio::spawn(stop_on_signal(signals, stopper));
        }
        let mut status = ExitStatus::Success;
        for (position, selected) in selected.iter().enumerate() {
            let enough = stop.stopped() || (self.arguments.fail_fast && status != ExitStatus::Success);
            if selected.is_empty() || self.suites.ready().suites[position].refused || enough {
                continue;
            }
            status = status.max(self.run_suite(position, selected, &stop).await);
        }
        agentci::drivers::sweep_all().await;
        if stop.stopped() { ExitStatus::Interrupted } else { status }
    }

    async fn run_suite(&mut self, position: usize, selected: &[usize], stop: &Stop) -> ExitStatus {
        let suite = &self.suites.plan().suites[position];
        let settings = self.settings(suite);
        if let Err(status) = self.tools_are_there(position, selected, &settings).await {
            return status;
        }
        let opened = self.folder(suite).and_then(|folder| Ok((Journal::create(&folder)?, Rc::new(folder))));
        let (mut journal, folder) = match opened {
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
        let mut reports = self.reports(suite, &folder, &summary);
        let facts = Facts { run_id: folder.id().to_owned(), git_sha: commit(), ..Facts::default() };
        let mut journal_error = None;
        let mut take = |event| {
            if let Err(error) = journal.append(&event) {
                journal_error = Some(error);
            }
            reports.on_event(&event);
        };
        let status = self.suites.run_suite(position, selected, &facts, &settings, stop, &mut take).await;
        let mut failed = status > Status::Skipped;
        for (name, error) in reports.finish() {
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
        if let Some(error) = journal_error {
            self.context.complain(&format!("run.jsonl is not complete: {error}"), None);
        }
        self.summaries.push(summary.take());
        let line = format!("artifacts: {}\n", shown(folder.path()));
        if self.aside() {
            self.context.say(&line);
        } else {
            self.context.print(&line);
        }
        if failed { ExitStatus::Failed } else { ExitStatus::Success }
    }

    fn folder(&self, suite: &Suite) -> Result<RunFolder, agentci::ledger::LedgerError> {
        let default = PathBuf::from(".agentci/runs");
        let base = self.arguments.output_dir.as_ref().or(suite.output_dir.as_ref()).unwrap_or(&default);
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        RunFolder::create(base, &suite.name, u64::try_from(now.as_millis()).unwrap_or_default())
    }

    /// Whether standard output is taken by data, so that talk has to go elsewhere.
    fn aside(&self) -> bool {
        self.arguments.json || self.arguments.reports.take_stdout()
    }

    fn reports(&self, suite: &Suite, folder: &Rc<RunFolder>, summary: &Rc<RefCell<Vec<u8>>>) -> FanOut {
        let to_file = |name: &'static str| -> Output {
            let folder = Rc::clone(folder);
            Box::new(move |bytes| folder.write_whole(name, bytes).map_err(io::Error::other))
        };
        let mut reports = FanOut::default();
        let aside = self.aside();
        let out = || -> Box<dyn Write> { if aside { Box::new(io::stderr()) } else { Box::new(io::stdout()) } };
        if self.context.github.is_some() {
            reports.add("GitHub", Box::new(annotations(out())));
        }
        let options = ConsoleOptions {
            color: if aside { self.context.stderr_color } else { self.context.stdout_color },
            live: self.context.stderr_is_terminal.then(|| Box::new(io::stderr()) as Box<dyn Write>),
            verbose: self.arguments.verbose,
            width: self.context.width,
        };
        reports.add("console", Box::new(Console::new(out(), options)));
        let (kept, mut file) = (Rc::clone(summary), to_file("summary.json"));
        let keep = move |bytes: &[u8]| kept.borrow_mut().extend_from_slice(bytes);
        if suite.dialect == Dialect::Aumai {
            let keep: Output = Box::new(move |bytes| {
                keep(bytes);
                Ok(())
            });
            reports.add("summary.json", Box::new(Summary::new(file)));
            if self.arguments.json {
                reports.add("result", Box::new(TestSuite::new(keep)));
            }
        } else {
            let both: Output = Box::new(move |bytes| {
                keep(bytes);
                file(bytes)
            });
            reports.add("summary.json", Box::new(Summary::new(both)));
        }
        reports.add("junit.xml", Box::new(Junit::new(to_file("junit.xml"))));
        reports.add("report.html", Box::new(Html::new(to_file("report.html"))));
        let of = ReportOf { suite: &suite.name, dialect: suite.dialect.name(), folder: folder.path() };
        self.arguments.reports.add_to(&mut reports, of, &USUAL);
        if let Some(path) = self.context.github.as_ref().and_then(|job| job.step_summary.as_ref()) {
            reports.add(STEP_SUMMARY, Box::new(step_summary(path)));
        }
        reports
    }

    fn settings(&self, suite: &Suite) -> Settings {
        let mut settings = Settings::default();
        settings.mode = self.arguments.mode;
        settings.parallel = self.arguments.parallel.unwrap_or_else(|| gates::parallel(suite, settings.parallel));
        settings.fail_fast = self.arguments.fail_fast;
        // In some dialects it is the suite as a whole that may take so long.
        match suite.dialect.suite_timeout() {
            Some(_) => settings.suite_timeout = self.arguments.timeout,
            None => settings.timeout = self.arguments.timeout,
        }
        settings.seed = self.seed;
        settings
    }

    /// In record and live mode every tool must be there before anything runs.
    async fn tools_are_there(
        &self,
        position: usize,
        selected: &[usize],
        settings: &Settings,
    ) -> Result<(), ExitStatus> {
        let Err(error) = self.suites.resolve_tools(position, selected, settings).await else { return Ok(()) };
        let name = &self.suites.plan().suites[position].name;
        match error.span {
            Some(span) => {
                let mut problems = Diagnostics::default();
                problems.push(Diagnostic::error(span, error.message).help(error.help));
                self.context.show(&problems, &self.suites.plan().sources);
            }
            None => self.context.complain(&format!("suite `{name}`: {}", error.message), Some(&error.help)),
        }
        Err(ExitStatus::Failed)
    }

    /// One suite: its summary; several: a list of them.
    fn print_summaries(&self) {
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

/// Runs with `--mode record`.
pub(crate) fn record(mut arguments: RunArguments, context: &Context) -> ExitStatus {
    if arguments.mode.is_some_and(|mode| mode != Mode::Record) {
        context.complain("`agentci record` records; it has no other mode", Some("use `agentci run --mode`"));
        return ExitStatus::Failed;
    }
    arguments.mode = Some(Mode::Record);
    run(&arguments, context)
}

/// A seed nobody chose.
fn draw_seed() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    // Short enough to be typed.
    agentci::plan::mix(u64::from(now.subsec_nanos()) ^ (now.as_secs() << 20) ^ u64::from(std::process::id())) >> 40
}

/// The folder as the user would name it.
fn shown(path: &Path) -> String {
    path.display().to_string()
}

/// The commit under test, where the CI says so.
fn commit() -> Option<String> {
    ["GITHUB_SHA", "CI_COMMIT_SHA"].iter().find_map(|name| std::env::var(name).ok()).filter(|sha| !sha.is_empty())
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
