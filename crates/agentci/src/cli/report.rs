//! `agentci report`: regenerates the reports of a stored run.

use std::path::{Path, PathBuf};

use agentci::ledger::{self, JournalDamage, LedgerError};
use agentci::report::{Console, FanOut, one_line};
use agentci::verdict::{Body, ExitStatus, RunEvent};
use clap::Args;

use super::journal_reader::journal_reader;
use super::recheck::recheck;
use super::reports::{ReportOf, add_usual, console, tell_unwritten};
use super::{CliContext, CliError, CommandResult, ReportFlags};

/// How many damaged lines are shown.
const DAMAGE_SHOWN: usize = 10;

/// Arguments of `agentci report`.
#[derive(Debug, Args)]
pub(crate) struct ReportArguments {
    /// Run folder, or its `run.jsonl`
    #[arg(value_name = "RUN_DIR")]
    pub(super) run: PathBuf,
    /// Evaluate the present checks of the suite on the stored run, without running the agent [default SUITE: the one
    /// that the run names]
    #[arg(long, value_name = "SUITE", num_args = 0..=1)]
    #[expect(clippy::option_option, reason = "clap's type for a flag with an optional value")]
    recheck: Option<Option<PathBuf>>,
    /// Directory for the run folder of a recheck [default: none is created]
    #[arg(long, value_name = "DIR", requires = "recheck", help_heading = "Reports and output")]
    pub(super) output_dir: Option<PathBuf>,
    #[command(flatten)]
    pub(super) reports: ReportFlags,
    /// Show every check and tool call
    #[arg(short, long, help_heading = "Reports and output")]
    pub(super) verbose: bool,
}

pub(crate) fn report(arguments: &ReportArguments, context: &CliContext) -> CommandResult {
    arguments.reports.no_folder()?;
    arguments.reports.fit(&[""], false)?;
    let file = if arguments.run.is_dir() { arguments.run.join("run.jsonl") } else { arguments.run.clone() };
    if let Some(suite) = &arguments.recheck {
        return recheck(arguments, &file, suite.as_deref(), context);
    }
    let mut made: Option<(FanOut, Vec<PathBuf>)> = None;
    let mut complete = false;
    let played = ledger::play_places(&file, |event, place| {
        let (reports, _) = made.get_or_insert_with(|| first(&event, &file, arguments, context));
        complete = matches!(event.body, Body::RunEnd(_));
        reports.on_stored_event(&event, place);
    });
    let playback = played.map_err(|error| unreadable(&arguments.run, &file, &error))?;
    warn(&playback, complete, &file, context);
    let Some((mut reports, paths)) = made else {
        return Err(CliError::plain(format!("`{}` contains no run events", file.display())));
    };
    let failed = tell_unwritten(reports.finish(), context);
    for path in paths.iter().map(|path| path.display().to_string()).filter(|path| !failed.contains(path)) {
        context.say(&format!("wrote {path}\n"));
    }
    Ok(if failed.is_empty() { ExitStatus::Success } else { ExitStatus::Failed })
}

/// Creates the reports at the first event, since paths may contain the name of the suite.
fn first(event: &RunEvent, file: &Path, arguments: &ReportArguments, context: &CliContext) -> (FanOut, Vec<PathBuf>) {
    let dialect = if let Body::RunStart(start) = &event.body {
        context.show_not_loaded(&start.not_loaded);
        start.dialect.as_str()
    } else {
        ""
    };
    let of = ReportOf { suite: &event.suite, dialect, folder: file.parent().unwrap_or(Path::new("")) };
    let mut reports = FanOut::stored(journal_reader(file));
    let (out, options) = console(arguments.reports.take_stdout(), arguments.verbose, context);
    reports.add("console", Box::new(Console::new(out, options)));
    let paths = if arguments.reports.is_empty() {
        add_usual(&mut reports, of.folder)
    } else {
        arguments.reports.add_to(&mut reports, of, &[])
    };
    (reports, paths)
}

fn unreadable(run: &Path, file: &Path, error: &LedgerError) -> CliError {
    let message = if run.is_dir() && !file.exists() {
        format!("`{}` is not a run folder: it has no `run.jsonl`", run.display())
    } else {
        format!("the run cannot be read: {error}")
    };
    CliError::new(message, "pass a run folder, as printed after `artifacts:`")
}

/// Warns about damaged or missing parts of the journal.
fn warn(playback: &JournalDamage, complete: bool, file: &Path, context: &CliContext) {
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
            "warning: the last event is missing: the run was killed or is still running; its reports are incomplete\n",
        );
    }
}
