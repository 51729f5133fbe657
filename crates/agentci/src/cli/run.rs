//! `agentci run`: run suites, write their artifacts, say what failed.

use std::cell::RefCell;
use std::fmt::Write as _;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use agentci::ledger::{Journal, RunFolder};
use agentci::plan::{Mode, Suite, parse_duration};
use agentci::report::{Console, ConsoleOptions, FanOut, Junit, Output, Summary};
use agentci::runner::{Facts, Stop, Stopper};
use agentci::verdict::{ExitStatus, Status};
use agentci::{Settings, Suites};
use clap::Args;

use super::context::Context;
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
    /// Where the answers of tools come from: replay, record or live
    #[arg(long, value_name = "MODE", value_parser = mode)]
    mode: Option<Mode>,
    /// How many cases run at once; as many as there are cores without it
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    parallel: Option<usize>,
    /// How long a case may take, e.g. `90s`
    #[arg(long, value_name = "DURATION", value_parser = parse_duration)]
    timeout: Option<Duration>,
    /// Start no further case after the first that does not pass
    #[arg(long)]
    fail_fast: bool,
    /// Say what would be run, and run nothing
    #[arg(long)]
    dry_run: bool,
    /// Print the summary as JSON to standard output, and everything else to standard error
    #[arg(long)]
    json: bool,
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
    let suites = Suites::load(or_here(&arguments.paths));
    context.show(suites.problems(), &suites.plan().sources);
    let selected = match arguments.selection.apply(suites.plan()) {
        Ok(selected) => selected,
        Err(nothing) => {
            context.complain(&nothing.message, Some(&nothing.help));
            return ExitStatus::Failed;
        }
    };
    if let Err(status) = only_replay(arguments, &suites, context) {
        return status;
    }
    if arguments.dry_run {
        return dry_run(&suites, &selected, context);
    }
    let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            context.complain(&format!("no runtime could be made: {error}"), None);
            return ExitStatus::Failed;
        }
    };
    let mut session = Session { arguments, context, suites: &suites, summaries: Vec::new() };
    let status = runtime.block_on(session.run(&selected));
    if arguments.json {
        session.print_summaries();
    }
    let wrong = suites.problems().has_errors();
    if wrong { status.max(ExitStatus::Failed) } else { status }
}

fn only_replay(arguments: &RunArguments, suites: &Suites, context: &Context) -> Result<(), ExitStatus> {
    for suite in &suites.plan().suites {
        let mode = arguments.mode.unwrap_or(suite.mode);
        if mode != Mode::Replay {
            let message =
                format!("suite `{}`: this version runs in replay mode only, not in {}", suite.name, mode.name());
            context.complain(&message, Some("use `--mode replay`"));
            return Err(ExitStatus::Failed);
        }
    }
    Ok(())
}

fn dry_run(suites: &Suites, selected: &[Vec<usize>], context: &Context) -> ExitStatus {
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
    /// The summaries of the suites so far, for `--json`.
    summaries: Vec<Vec<u8>>,
}

impl Session<'_> {
    async fn run(&mut self, selected: &[Vec<usize>]) -> ExitStatus {
        let (stopper, stop) = Stopper::new();
        tokio::spawn(stop_on_signal(stopper));
        let mut status = ExitStatus::Success;
        for (position, selected) in selected.iter().enumerate() {
            if selected.is_empty() || self.suites.ready().suites[position].refused || stop.stopped() {
                continue;
            }
            status = status.max(self.run_suite(position, selected, &stop).await);
        }
        agentci::drivers::sweep_all().await;
        if stop.stopped() { ExitStatus::Interrupted } else { status }
    }

    async fn run_suite(&mut self, position: usize, selected: &[usize], stop: &Stop) -> ExitStatus {
        let suite = &self.suites.plan().suites[position];
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
        let summary: Rc<RefCell<Vec<u8>>> = Rc::default();
        let mut reports = self.reports(&folder, &summary);
        let facts = Facts { run_id: folder.id().to_owned(), git_sha: commit(), ..Facts::default() };
        let settings = self.settings();
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
        if self.arguments.json {
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

    fn reports(&self, folder: &Rc<RunFolder>, summary: &Rc<RefCell<Vec<u8>>>) -> FanOut {
        let to_file = |name: &'static str| -> Output {
            let folder = Rc::clone(folder);
            Box::new(move |bytes| folder.write_whole(name, bytes).map_err(io::Error::other))
        };
        let mut reports = FanOut::default();
        let json = self.arguments.json;
        let out: Box<dyn Write> = if json { Box::new(io::stderr()) } else { Box::new(io::stdout()) };
        let options = ConsoleOptions {
            color: if json { self.context.stderr_color } else { self.context.stdout_color },
            live: self.context.stderr_is_terminal.then(|| Box::new(io::stderr()) as Box<dyn Write>),
            verbose: self.arguments.verbose,
            width: self.context.width,
        };
        reports.add("console", Box::new(Console::new(out, options)));
        let (kept, mut file) = (Rc::clone(summary), to_file("summary.json"));
        let both: Output = Box::new(move |bytes| {
            kept.borrow_mut().extend_from_slice(bytes);
            file(bytes)
        });
        reports.add("summary.json", Box::new(Summary::new(both)));
        reports.add("junit.xml", Box::new(Junit::new(to_file("junit.xml"))));
        reports
    }

    fn settings(&self) -> Settings {
        let mut settings = Settings::default();
        settings.mode = self.arguments.mode;
        settings.parallel = self.arguments.parallel.unwrap_or(settings.parallel);
        settings.fail_fast = self.arguments.fail_fast;
        settings.timeout = self.arguments.timeout;
        settings
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

/// The folder as the user would name it.
fn shown(path: &Path) -> String {
    path.display().to_string()
}

/// The commit under test, where the CI says so.
fn commit() -> Option<String> {
    ["GITHUB_SHA", "CI_COMMIT_SHA"].iter().find_map(|name| std::env::var(name).ok()).filter(|sha| !sha.is_empty())
}

/// Waits for Ctrl-C or a request to end, and stops the run.
async fn stop_on_signal(stopper: Stopper) {
    use tokio::signal::unix::{SignalKind, signal};
    let (Ok(mut interrupt), Ok(mut terminate), Ok(mut hang_up)) =
        (signal(SignalKind::interrupt()), signal(SignalKind::terminate()), signal(SignalKind::hangup()))
    else {
        // Without a handler the system ends us, as it would any program.
        return std::future::pending().await;
    };
    tokio::select! {
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
        _ = hang_up.recv() => {}
    }
    stopper.stop();
    // The sender must outlive the run: those who wait for it ask it until the end.
    std::future::pending::<()>().await;
}
