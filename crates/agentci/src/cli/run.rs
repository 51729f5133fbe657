//! `agentci run`: run suites, write their artifacts, say what failed.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use agentci::plan::{AnsweredBy, MOST_RUNS, Mode};
use agentci::runner::Stop;
use agentci::source::{Diagnostics, Files, Severity, parse_duration};
use agentci::verdict::{ExitStatus, NotLoaded};
use agentci::{LoadedSuite, NotedFiles, Suites};
use clap::Args;
use tokio::runtime::Runtime;

use super::agents::AgentFlags;
use super::context::Context;
use super::dialect::DialectFlags;
use super::dialect::scenario::ScenarioRunFlags;
use super::dialect::yao::report_writer as reporter;
use super::gates::{self, GateFlags};
use super::inputs;
use super::message;
use super::others;
use super::reports::ReportFlags;
use super::select::Selection;
use super::session::{Session, stopped_by_signals};
use super::shard::ShardFlags;
use super::watch;

/// Arguments of `agentci run`.
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag")]
pub(crate) struct RunArguments {
    /// Folders or files with suites; this folder without any
    #[arg(value_name = "PATH")]
    pub(super) paths: Vec<PathBuf>,
    #[command(flatten)]
    pub(super) selection: Selection,
    #[command(flatten)]
    pub(super) shard: ShardFlags,
    #[command(flatten)]
    pub(super) dialects: DialectFlags,
    /// Where the answers of tools come from: replay, record or live
    #[arg(long, value_name = "MODE", value_parser = mode)]
    pub(super) mode: Option<Mode>,
    /// How many cases run at once [default: the number of cores, or 1 in formats whose tests run one after the other]
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    pub(super) parallel: Option<usize>,
    /// How long a case may take, e.g. `90s`; in the aumai format, the whole suite
    #[arg(long, value_name = "DURATION", value_parser = parse_duration)]
    pub(super) timeout: Option<Duration>,
    /// How often each case is run; it passes only if all its runs do
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=i64::from(MOST_RUNS)))]
    pub(super) runs: Option<u32>,
    /// Start no further case after the first that does not pass
    #[arg(long)]
    pub(super) fail_fast: bool,
    #[command(flatten)]
    pub(super) agents: AgentFlags,
    /// Retry a case up to N times if its agent is unreachable or answers with status 429 (a failed check is never retried)
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u32).range(0..=10))]
    pub(super) retries: u32,
    /// Seed for all random choices [default: random, printed at the start]
    #[arg(long, value_name = "N")]
    pub(super) seed: Option<u64>,
    /// Re-run affected cases when a file changes, until interrupted
    #[arg(long, conflicts_with_all = ["shard", "dry_run", "json"])]
    pub(super) watch: bool,
    /// Say what would be run, and run nothing
    #[arg(long)]
    pub(super) dry_run: bool,
    /// Print the summary (in the aumai format the result) as JSON to standard output, and everything else to standard error
    #[arg(long)]
    pub(super) json: bool,
    #[command(flatten)]
    pub(super) scenario: ScenarioRunFlags,
    /// An assistant that writes the report of a suite of the yao format
    #[arg(short, long, value_name = "ID", help_heading = "Assistants")]
    pub(super) reporter: Option<String>,
    #[command(flatten)]
    pub(super) gates: GateFlags,
    #[command(flatten)]
    pub(super) reports: ReportFlags,
    /// The folder for run folders [default: the suite's own, or `.agentci/runs`]
    #[arg(long, value_name = "DIR")]
    pub(super) output_dir: Option<PathBuf>,
    /// Show every check and tool call
    #[arg(short, long)]
    pub(super) verbose: bool,
}

fn mode(word: &str) -> Result<Mode, String> {
    let known = Mode::NAMES.iter().find(|(name, _)| *name == word).map(|(_, mode)| *mode);
    known.ok_or_else(|| "it is one of replay, record, live".into())
}

fn at_least_one(text: &str) -> Result<usize, String> {
    text.parse().ok().filter(|count| *count >= 1).ok_or_else(|| "it is a whole number, 1 or more".into())
}

pub(crate) fn run(arguments: &RunArguments, context: &Context) -> ExitStatus {
    if arguments.watch {
        return watch::watch(arguments, context);
    }
    let noted = NotedFiles::default();
    let mut suites = load(arguments, &noted);
    let not_loaded = match prepare(&mut suites, &noted.into_read(), arguments, context) {
        Ok(not_loaded) => not_loaded,
        Err(status) => return status,
    };
    if arguments.dry_run {
        return dry_run(&suites, arguments, context);
    }
    let Some(runtime) = runtime(context) else { return ExitStatus::Failed };
    let stop = {
        let _within = runtime.enter();
        stopped_by_signals()
    };
    execute(&mut suites, not_loaded, arguments, context, &runtime, &stop)
}

/// Reads the suites that are meant.
pub(super) fn load(arguments: &RunArguments, files: &dyn Files) -> Suites {
    let mut options = arguments.dialects.options();
    options.yao.timeout = arguments.timeout;
    options.yao.reporter.clone_from(&arguments.reporter);
    Suites::load_from(files, arguments.dialects.paths(&arguments.paths), &options)
}

/// Selects what is to be run, holds the flags against it, and tells what is wrong with both. What could not be loaded, and no case
/// of any part tells of, is returned.
pub(super) fn prepare(
    suites: &mut Suites,
    read: &BTreeSet<PathBuf>,
    arguments: &RunArguments,
    context: &Context,
) -> Result<Vec<NotLoaded>, ExitStatus> {
    let refuse = |(message, help): (String, String)| {
        context.complain(&message, Some(&help));
        ExitStatus::Failed
    };
    if !reporter::fits(arguments, suites, context) {
        return Err(ExitStatus::Failed);
    }
    if let Some(runs) = arguments.runs {
        suites.repeat(runs);
    }
    if let Err(nothing) = arguments.selection.apply(suites) {
        context.show(suites.problems(), suites.sources());
        return Err(refuse((nothing.message, nothing.help)));
    }
    // Flags are held against all that is selected: a shard may have none of the suites that they are for.
    if !arguments.dialects.fit(suites, context) {
        return Err(ExitStatus::Failed);
    }
    let useless = arguments.scenario.useless(suites, &arguments.reports);
    let not_loaded = not_loaded(suites);
    arguments.shard.apply(suites, context).map_err(|()| ExitStatus::Failed)?;
    context.show(&not_told_later(suites), suites.sources());
    let fit = arguments.reports.fit(&to_run(suites), arguments.json);
    let fit = fit.and_then(|()| inputs::are_kept(&arguments.reports, suites, read));
    fit.map_err(|misfit| refuse((misfit.message, misfit.help)))?;
    if let Some(misfit) = useless.or_else(|| arguments.scenario.shared_name(suites)) {
        return Err(refuse(misfit));
    }
    let to_run = to_run(suites).len();
    if !arguments.gates.apply(suites, to_run, context) {
        return Err(ExitStatus::Failed);
    }
    Ok(not_loaded)
}

/// What runs agents, and waits.
pub(super) fn runtime(context: &Context) -> Option<Runtime> {
    match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => Some(runtime),
        Err(error) => {
            context.complain(&format!("no runtime could be made: {error}"), None);
            None
        }
    }
}

/// Runs the selected cases.
pub(super) fn execute(
    suites: &mut Suites,
    not_loaded: Vec<NotLoaded>,
    arguments: &RunArguments,
    context: &Context,
    runtime: &Runtime,
    stop: &Stop,
) -> ExitStatus {
    gates::complain(suites, context);
    let seed = arguments.seed.unwrap_or_else(draw_seed);
    let mut session = Session { arguments, context, suites, not_loaded, seed, summaries: Vec::new() };
    let status = if message::is_wanted(arguments) {
        runtime.block_on(session.answer(stop))
    } else {
        runtime.block_on(session.run(stop))
    };
    if arguments.json {
        session.print_summaries();
    }
    let wrong = suites.problems().has_errors();
    if wrong { status.max(ExitStatus::Failed) } else { status }
}

/// The errors that none of the selected cases will tell of, as they are stored with a run.
fn not_loaded(suites: &Suites) -> Vec<NotLoaded> {
    let problems = not_told_later(suites).into_iter();
    let errors = problems.filter(|problem| problem.severity == Severity::Error);
    errors
        .map(|problem| NotLoaded {
            place: problem.place(suites.sources()),
            message: problem.message,
            help: problem.help,
        })
        .collect()
}

/// The problems that no case of the run will tell of.
fn not_told_later(suites: &Suites) -> Diagnostics {
    let mut told = Vec::new();
    for LoadedSuite { suite, ready, selected, .. } in suites.loaded().iter().filter(|loaded| !loaded.ready.refused) {
        for index in selected {
            told.extend(suite.cases[*index].broken.iter().flatten().chain(&ready.cases[*index].problems));
        }
    }
    let mut rest = Diagnostics::default();
    for problem in suites.problems() {
        let is_new = match problem.severity {
            Severity::Warning => !others::is_of_others(problem, suites),
            Severity::Error => !told.contains(&problem),
        };
        if is_new {
            rest.push(problem.clone());
        }
    }
    rest
}

/// The names of the suites of which something is to be run.
fn to_run(suites: &Suites) -> Vec<&str> {
    suites.loaded().iter().filter(|loaded| loaded.is_runnable()).map(|loaded| loaded.suite.name.as_str()).collect()
}

fn dry_run(suites: &Suites, arguments: &RunArguments, context: &Context) -> ExitStatus {
    if arguments.json {
        context.print(&super::list::as_json(suites, arguments.mode));
    } else {
        let mut text = String::new();
        for loaded in suites.loaded() {
            let suite = &loaded.suite;
            for case in loaded.selected_cases() {
                let answered = case.answered_by(arguments.mode.unwrap_or(suite.mode));
                let note = match answered {
                    _ if case.skip.is_some() => " (skipped)",
                    AnsweredBy::Recording(_) => " (played from a recording: no agent is run)",
                    AnsweredBy::Agent | AnsweredBy::Script => "",
                };
                let _ = writeln!(text, "would run {}/{}{note}", suite.name, case.id);
            }
        }
        context.print(&agentci::report::printable(&text));
    }
    let has_agents = arguments.agents.hold(suites, arguments.mode, context);
    if suites.problems().has_errors() || !has_agents { ExitStatus::Failed } else { ExitStatus::Success }
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
