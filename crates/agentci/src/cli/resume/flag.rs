//! The flag itself, and what it cannot be combined with.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use agentci::StoredProgress;
use clap::Args;

use super::stored_runs::{newest_of_each, read};
use crate::cli::{CliContext, CliError, RunArguments, Suites};

/// Stands for the newest run of each suite.
const NEWEST: &str = "";

/// The flag that continues a stored run.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct ResumeFlag {
    /// Continue the last run of each suite if it did not finish, or the run stored in `RUN_DIR`: cases that it finished are not run again
    #[arg(
        long,
        value_name = "RUN_DIR",
        num_args = 0..=1,
        default_missing_value = NEWEST,
        require_equals = true,
        conflicts_with = "watch",
        help_heading = "Selection"
    )]
    resume: Option<OsString>,
}

/// A stored run, and its folder.
#[derive(Debug)]
pub(crate) struct FoundRun {
    pub(super) folder: PathBuf,
    pub(super) progress: StoredProgress,
    /// Whether the user named it.
    pub(super) is_named: bool,
}

impl ResumeFlag {
    /// Refuses flags that would mean something else than the user expects.
    pub(crate) fn fits(&self, arguments: &RunArguments) -> Result<(), CliError> {
        self.resume.as_ref().map_or(Ok(()), |run| fits(run == NEWEST, arguments))
    }

    /// The stored run that each suite continues, by position. Deselects suites that are not part of what is continued.
    pub(crate) fn find(
        &self,
        suites: &mut Suites,
        arguments: &RunArguments,
        context: &CliContext,
    ) -> Result<Vec<Option<FoundRun>>, CliError> {
        let Some(run) = &self.resume else { return Ok(suites.loaded().iter().map(|_| None).collect()) };
        if run == NEWEST {
            newest_of_each(suites, arguments.output_dir.as_deref(), context)
        } else {
            of_folder(suites, Path::new(run), context)
        }
    }
}

fn fits(newest: bool, arguments: &RunArguments) -> Result<(), CliError> {
    if let Some(folder) = arguments.paths.iter().find(|path| newest && path.join("run.jsonl").is_file()) {
        let message = format!("`{}` is a run folder, not a suite", folder.display());
        return Err(CliError::new(message, format!("write `--resume={}`", folder.display())));
    }
    if arguments.selection.selects_newest_failed() {
        let help = "name the run whose failed cases were selected: `--failed=RUN_DIR`";
        return Err(CliError::new("`--failed` would select from the run that `--resume` continues", help));
    }
    if arguments.dialects.is_message() {
        return Err(CliError::new("a run of a single message cannot be resumed", "send the message again"));
    }
    if arguments.dry_run && arguments.json {
        return Err(CliError::new("`--dry-run --json` lists cases without `--resume`", "leave out `--json`"));
    }
    Ok(())
}

/// The run in this folder, for the suite that it is of.
fn of_folder(suites: &mut Suites, folder: &Path, context: &CliContext) -> Result<Vec<Option<FoundRun>>, CliError> {
    let found = FoundRun { is_named: true, ..read(folder)? };
    let name = &found.progress.suite;
    let named = |(_, loaded): &(usize, &agentci::LoadedSuite)| loaded.suite.name == *name;
    let same: Vec<usize> = suites.loaded().iter().enumerate().filter(named).map(|(position, _)| position).collect();
    let at_path = |position: &&usize| {
        suites.loaded()[**position].suite.path.display().to_string() == found.progress.start.suite_path
    };
    let position = match same.as_slice() {
        [] => {
            let message = format!("`{}` is a run of the suite `{name}`, which is not loaded", folder.display());
            return Err(CliError::new(message, format!("pass its path: `{}`", found.progress.start.suite_path)));
        }
        [one] => *one,
        several => *several.iter().find(at_path).unwrap_or(&several[0]),
    };
    let mut runs: Vec<Option<FoundRun>> = suites.loaded().iter().map(|_| None).collect();
    for (other, loaded) in suites.loaded_mut().iter_mut().enumerate() {
        if other != position && !loaded.selected.is_empty() {
            loaded.selected.clear();
            context.say(&format!("not run: the suite `{}`, which the resumed run is not of\n", loaded.suite.name));
        }
    }
    runs[position] = Some(found);
    Ok(runs)
}
