//! `agentci run`: run suites, write their artifacts, say what failed.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use agentci::plan::{AnsweredBy, Mode};
use agentci::runner::Stop;
use agentci::source::{Diagnostics, Severity};
use agentci::verdict::{ExitStatus, NotLoaded};
use agentci::{LoadedSuite, NotedFiles, Suites};
use tokio::runtime::Runtime;

use super::context::Context;
use super::gates;
use super::inputs;
use super::others;
use super::reports::Misfit;
use super::run_arguments::RunArguments;
use super::select::NothingSelected;
use super::session::Session;
use super::signals::stopped_by_signals;
use super::watch;

pub(crate) fn run(arguments: &RunArguments, context: &Context) -> ExitStatus {
    if arguments.watch {
        return watch::watch(arguments, context);
    }
    let noted = NotedFiles::default();
    let mut suites = arguments.load(&noted);
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

/// Selects what is to be run, holds the flags against it, and tells what is wrong with both. What could not be loaded, and no case
/// of any part tells of, is returned.
pub(super) fn prepare(
    suites: &mut Suites,
    read: &BTreeSet<PathBuf>,
    arguments: &RunArguments,
    context: &Context,
) -> Result<Vec<NotLoaded>, ExitStatus> {
    let refuse = |misfit: Misfit| {
        context.complain(&misfit.message, Some(&misfit.help));
        ExitStatus::Failed
    };
    let RunArguments { dialects, dialects_run, reports, services, .. } = arguments;
    refused(dialects_run.no_report(suites, reports)).map_err(refuse)?;
    if let Some(runs) = arguments.runs {
        suites.repeat(runs);
    }
    if let Err(NothingSelected { message, help }) = arguments.selection.apply(suites) {
        context.show(suites.problems(), suites.sources());
        return Err(refuse(Misfit { message, help }));
    }
    // Flags are held against all that is selected: a shard may have none of the suites that they are for.
    if !dialects.fit(suites, context) {
        return Err(ExitStatus::Failed);
    }
    let useless = dialects_run.useless(suites, reports, services);
    let not_loaded = not_loaded(suites);
    arguments.shard.apply(suites, context).map_err(|()| ExitStatus::Failed)?;
    context.show(&not_told_later(suites), suites.sources());
    reports.fit(&to_run(suites), arguments.json).map_err(refuse)?;
    inputs::are_kept(reports, suites, read).map_err(refuse)?;
    refused(useless.or_else(|| dialects_run.shared_name(suites))).map_err(refuse)?;
    let to_run = to_run(suites).len();
    if !arguments.gates.apply(suites, to_run, context) {
        return Err(ExitStatus::Failed);
    }
    Ok(not_loaded)
}

fn refused(misfit: Option<Misfit>) -> Result<(), Misfit> {
    misfit.map_or(Ok(()), Err)
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
    let status = if arguments.want_answer_only() {
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
