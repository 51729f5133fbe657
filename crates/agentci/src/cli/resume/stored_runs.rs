//! Finds and reads the stored runs that are continued.

use std::collections::BTreeMap;
use std::path::Path;

use agentci::ledger::LedgerError;
use agentci::plan::Suite;
use agentci::{ResumeError, StoredProgress};

use super::absent_suites::{absent_of_command, nothing_to_resume};
use super::flag::FoundRun;
use crate::cli::failed_cases::newest_runs;
use crate::cli::{CliContext, CliError, Suites};

/// The longest chain of runs that were killed before they had taken over the results of the run before.
const CHAIN: usize = 1000;

/// Reads a stored run. If it was killed before it had taken over the results of the run that it continues, that one is
/// read instead: nothing was run in between.
pub(super) fn read(run: &Path) -> Result<FoundRun, CliError> {
    read_begun(run)?.map_err(|error| unusable(&error))
}

/// Reads a stored run; the inner error is that it has not begun.
fn read_begun(run: &Path) -> Result<Result<FoundRun, ResumeError>, CliError> {
    let mut folder = if run.is_dir() { run.to_path_buf() } else { run.parent().unwrap_or(run).to_path_buf() };
    let mut file = if run.is_dir() { run.join("run.jsonl") } else { run.to_path_buf() };
    for _ in 0..CHAIN {
        let progress = match StoredProgress::open(&file) {
            Ok(progress) => progress,
            Err(error @ ResumeError::NoStart(_)) => return Ok(Err(error)),
            Err(error) => return Err(unusable(&error)),
        };
        let Some(before) = progress.takes_over() else {
            return Ok(Ok(FoundRun { folder, progress, is_named: false }));
        };
        if !before.join("run.jsonl").is_file() {
            let message = format!(
                "`--resume`: `{}` was killed before it had taken over the results of `{}`, which does not exist",
                folder.display(),
                before.display()
            );
            return Err(CliError::new(
                message,
                "run in the directory that the path starts from, or without `--resume`",
            ));
        }
        (file, folder) = (before.join("run.jsonl"), before);
    }
    Err(CliError::new("`--resume`: too many runs that continue each other", "run without `--resume`"))
}

/// The newest run of a suite that has begun.
fn newest(suite: &Suite, output_dir: Option<&Path>) -> Result<Option<FoundRun>, CliError> {
    for run in newest_runs(suite, output_dir) {
        // A run may be killed before it has written anything.
        if let Ok(found) = read_begun(&run)? {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

fn unusable(error: &ResumeError) -> CliError {
    let help = match error {
        ResumeError::Unreadable(LedgerError::Io(_)) => "pass a run folder, as printed after `artifacts:`",
        ResumeError::Unreadable(_) | ResumeError::Damaged { .. } | ResumeError::NoStart(_) => {
            "run everything again, without `--resume`"
        }
        ResumeError::Running(_) => "wait for it, or end it first",
        ResumeError::Recheck(_) => "resume the run that was rechecked",
    };
    CliError::new(format!("`--resume`: {error}"), help)
}

/// The newest run of each suite, if it did not finish. Of a command with several suites, those that finished are
/// played again, so that its result is complete, and those that it had not started are run.
pub(super) fn newest_of_each(
    suites: &mut Suites,
    output_dir: Option<&Path>,
    context: &CliContext,
) -> Result<Vec<Option<FoundRun>>, CliError> {
    let mut runs: Vec<Option<FoundRun>> = Vec::new();
    for loaded in suites.loaded() {
        runs.push(if loaded.is_runnable() { newest(&loaded.suite, output_dir)? } else { None });
    }
    let unfinished = || runs.iter().flatten().filter(|run| !run.progress.is_whole());
    if unfinished().next().is_none() {
        return Err(nothing_to_resume(suites, output_dir));
    }
    // The suites of the commands that did not finish, by the command.
    let mut commands: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for session in unfinished().filter_map(|run| run.progress.start.session.as_ref()) {
        commands.insert(session.id.clone(), session.suites.clone());
    }
    if let Some(error) = absent_of_command(commands.values().flatten(), suites, output_dir) {
        return Err(error);
    }
    for (run, loaded) in runs.iter_mut().zip(suites.loaded_mut()) {
        if !loaded.is_runnable() || run.as_ref().is_some_and(|run| !run.progress.is_whole()) {
            continue;
        }
        let session = run.as_ref().and_then(|run| run.progress.start.session.as_ref());
        if session.is_some_and(|session| commands.contains_key(&session.id)) {
            continue;
        }
        *run = None;
        let name = &loaded.suite.name;
        if !commands.values().flatten().any(|suite| suite == name) {
            loaded.selected.clear();
            context.say(&format!(
                "not run: the suite `{name}`, whose last run is complete or belongs to another command\n"
            ));
        }
    }
    Ok(runs)
}
