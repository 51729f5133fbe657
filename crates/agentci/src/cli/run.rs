//! `agentci run`: runs suites, writes their artifacts, and reports failures.

use std::fmt::Write as _;

use agentci::plan::{AnsweredBy, Mode, PlannedCase};
use agentci::{NotedFiles, Suites};

use super::execute::{Execution, execute, resumed};
use super::github_job::{annotate_not_loaded, not_loaded};
use super::prepare::{Prepared, prepare};
use super::record_flags::RecordSuiteArguments;
use super::{CliContext, CliError, CommandResult, ExitStatus, RunArguments, runtime, stopped_by_signals, watch};

pub(crate) fn run(arguments: &RunArguments, context: &CliContext) -> CommandResult {
    if arguments.watch {
        return watch::watch(arguments, context);
    }
    let noted = NotedFiles::default();
    let mut suites = arguments.load(&noted);
    if arguments.mode == Some(Mode::Record) && suites.loaded().is_empty() {
        context.show(suites.problems(), suites.sources());
        let errors = not_loaded(suites.problems(), suites.sources());
        annotate_not_loaded(&errors, context, arguments.talks_aside());
        context.say("help: to record a command, write it after `--`: `agentci record -- python3 agent.py`\n");
        return Err(CliError::told());
    }
    let prepared = prepare(&mut suites, &noted.into_read(), arguments, context)?;
    if arguments.dry_run {
        return dry_run(&suites, &prepared, arguments, context);
    }
    arguments.recording.allowed(&suites, arguments.mode)?;
    let runtime = runtime()?;
    let stop = stopped_by_signals(&runtime);
    let failed_from = arguments.selection.newest_failed_run(&suites, arguments.output_dir.as_deref());
    let run = Execution { prepared, failed_from };
    execute(&mut suites, run, (arguments, context), &runtime, &stop)
}

fn dry_run(suites: &Suites, prepared: &Prepared, arguments: &RunArguments, context: &CliContext) -> CommandResult {
    let resumed = resumed(suites, &prepared.resumed, arguments, context)?;
    if arguments.json {
        context.print(&super::list::as_json(suites, arguments.mode));
    } else {
        let mut text = String::new();
        for (loaded, resumed) in suites.loaded().iter().zip(&resumed) {
            let suite = &loaded.suite;
            let kept = |case: &PlannedCase<'_>| resumed.as_ref().is_some_and(|run| run.finished.has(case.id()));
            for planned in loaded.selected_cases().filter(|case| !kept(case)) {
                let case = planned.case;
                let answered = case.answered_by(arguments.mode.unwrap_or(suite.mode));
                let note = match answered {
                    _ if case.skip.is_some() => " (skipped)",
                    AnsweredBy::Recording(_) => " (replayed from a recording: no agent runs)",
                    AnsweredBy::Agent | AnsweredBy::Script => "",
                };
                let _ = writeln!(text, "would run {}/{}{note}", suite.name, planned.id());
            }
        }
        context.print(&agentci::report::printable(&text));
    }
    let has_agents = arguments.agents.hold(suites, arguments.mode, context);
    Ok(if suites.problems().has_errors() || !has_agents { ExitStatus::Failed } else { ExitStatus::Success })
}

/// Runs with `--mode record`.
pub(crate) fn record(arguments: RecordSuiteArguments, context: &CliContext) -> CommandResult {
    let RecordSuiteArguments { run: mut arguments, recording } = arguments;
    arguments.recording = recording;
    if arguments.mode.is_some_and(|mode| mode != Mode::Record) {
        return Err(CliError::new("`agentci record` supports only `--mode record`", "use `agentci run --mode`"));
    }
    arguments.mode = Some(Mode::Record);
    self::run(&arguments, context)
}
