//! Finds and reads the stored runs that are continued.

use std::collections::BTreeMap;
use std::path::Path;

use agentci::ledger::LedgerError;
use agentci::{ResumeError, StoredProgress};

use super::flag::FoundRun;
use crate::cli::failed_cases::newest_run;
use crate::cli::{CliContext, CliError, Suites};

/// Reads a stored run.
pub(super) fn read(run: &Path) -> Result<FoundRun, CliError> {
    let file = if run.is_dir() { run.join("run.jsonl") } else { run.to_path_buf() };
    let folder = if run.is_dir() { run } else { run.parent().unwrap_or(run) };
    let progress = StoredProgress::open(&file).map_err(|error| unusable(&error))?;
    Ok(FoundRun { folder: folder.to_path_buf(), progress, is_named: false })
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
        let newest = newest_run(&loaded.suite, output_dir).filter(|_| loaded.is_runnable());
        runs.push(newest.as_deref().map(read).transpose()?);
    }
    let unfinished = || runs.iter().flatten().filter(|run| !run.progress.is_whole());
    if unfinished().next().is_none() {
        let message = "`--resume`: the last run of every suite is complete, or there is none";
        return Err(CliError::new(message, "run without `--resume`"));
    }
    // The suites of the commands that did not finish, by the command.
    let mut commands: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for session in unfinished().filter_map(|run| run.progress.start.session.as_ref()) {
        commands.insert(session.id.clone(), session.suites.clone());
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
            context.say(&format!("not run: the suite `{name}`, whose last run is complete or belongs to another command\n"));
        }
    }
    Ok(runs)
}
