//! `agentci report`: the reports of a stored run, made again.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use agentci::ledger::{self, LedgerError, Playback};
use agentci::report::{Console, ConsoleOptions, FanOut, one_line};
use agentci::verdict::{Body, ExitStatus, RunEvent};
use clap::Args;

use super::context::Context;
use super::reports::{ReportFlags, ReportOf, add_usual};

/// How many damaged lines are told of.
const DAMAGE_SHOWN: usize = 10;

/// Arguments of `agentci report`.
#[derive(Debug, Args)]
pub(crate) struct ReportArguments {
    /// The folder of a run, or its `run.jsonl`
    #[arg(value_name = "RUN_DIR")]
    run: PathBuf,
    #[command(flatten)]
    reports: ReportFlags,
    /// Show every check and tool call
    #[arg(short, long)]
    verbose: bool,
}

pub(crate) fn report(arguments: &ReportArguments, context: &Context) -> ExitStatus {
    if let Err(error) = arguments.reports.no_folder().and_then(|()| arguments.reports.fit(&[""], false)) {
        return error.tell(context);
    }
    let file = if arguments.run.is_dir() { arguments.run.join("run.jsonl") } else { arguments.run.clone() };
    let mut made: Option<(FanOut, Vec<PathBuf>)> = None;
    let mut complete = false;
    let played = ledger::play(&file, |event| {
        let (reports, _) = made.get_or_insert_with(|| first(&event, &file, arguments, context));
        complete = matches!(event.body, Body::RunEnd(_));
        reports.on_event(&Arc::new(event));
    });
    let playback = match played {
        Ok(playback) => playback,
        Err(error) => {
            unreadable(&arguments.run, &file, &error, context);
            return ExitStatus::Failed;
        }
    };
    warn(&playback, complete, &file, context);
    let Some((reports, paths)) = made else {
        context.complain(&format!("`{}` holds no event of a run", file.display()), None);
        return ExitStatus::Failed;
    };
    if written(reports, &paths, context) { ExitStatus::Success } else { ExitStatus::Failed }
}

/// The reports, once the first event tells of what: paths may hold the name of the suite.
fn first(event: &RunEvent, file: &Path, arguments: &ReportArguments, context: &Context) -> (FanOut, Vec<PathBuf>) {
    let dialect = if let Body::RunStart(start) = &event.body {
        context.show_not_loaded(&start.not_loaded);
        start.dialect.as_str()
    } else {
        ""
    };
    let folder = file.parent().unwrap_or(Path::new(""));
    reports(arguments, context, ReportOf { suite: &event.suite, dialect, folder })
}

/// Says that a record can not be read.
fn unreadable(run: &Path, file: &Path, error: &LedgerError, context: &Context) {
    let message = if run.is_dir() && !file.exists() {
        format!("`{}` is not the folder of a run: it has no `run.jsonl`", run.display())
    } else {
        format!("the run can not be read: {error}")
    };
    context.complain(&message, Some("name the folder of a run, as it was printed after `artifacts:`"));
}

/// Ends the reports and names their files; whether all could be written.
fn written(mut reports: FanOut, paths: &[PathBuf], context: &Context) -> bool {
    let mut failed = Vec::new();
    for (name, error) in reports.finish() {
        if !error.is_broken_pipe() {
            context.complain(&format!("the report {name} could not be written: {error}"), None);
            failed.push(name);
        }
    }
    for path in paths.iter().map(|path| path.display().to_string()).filter(|path| !failed.contains(path)) {
        context.say(&format!("wrote {path}\n"));
    }
    failed.is_empty()
}

fn reports(arguments: &ReportArguments, context: &Context, of: ReportOf<'_>) -> (FanOut, Vec<PathBuf>) {
    let mut reports = FanOut::default();
    let aside = arguments.reports.take_stdout();
    let out: Box<dyn Write> = if aside { Box::new(io::stderr()) } else { Box::new(io::stdout()) };
    let options = ConsoleOptions {
        color: if aside { context.stderr_color } else { context.stdout_color },
        live: None,
        verbose: arguments.verbose,
        width: context.width,
    };
    reports.add("console", Box::new(Console::new(out, options)));
    let paths = if arguments.reports.is_empty() {
        add_usual(&mut reports, of.folder)
    } else {
        arguments.reports.add_to(&mut reports, of, &[])
    };
    (reports, paths)
}

/// Says what is missing from the record.
fn warn(playback: &Playback, complete: bool, file: &Path, context: &Context) {
    for damage in playback.damaged.iter().take(DAMAGE_SHOWN) {
        context.say(&format!("warning: {}:{}: {}\n", file.display(), damage.line, one_line(&damage.reason)));
    }
    if playback.damaged.len() > DAMAGE_SHOWN {
        context.say(&format!("warning: and {} more damaged lines\n", playback.damaged.len() - DAMAGE_SHOWN));
    }
    if !playback.damaged.is_empty() {
        context.say("warning: damaged lines are left out of the reports\n");
    }
    if playback.torn {
        context.say("warning: the last line is cut off: the run was killed, and its reports are incomplete\n");
    } else if !complete {
        context.say(
            "warning: the record has no end: the run was killed or is still going on, its reports are incomplete\n",
        );
    }
}
