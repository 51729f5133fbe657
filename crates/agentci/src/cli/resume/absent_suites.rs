//! Suites that should be continued and are not loaded: they were moved or renamed, or their path was not passed.
//!
//! Without them, a command that failed would pass once it is resumed.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use agentci::report::one_line;
use agentci::source::Files as _;
use agentci::{DiskFiles, StoredProgress, Suites};

use crate::cli::failed_cases::{newest, run_folders};
use crate::cli::{CliError, RUNS};

/// The error for the suites of a command that are not loaded; `None` if all are.
pub(super) fn absent_of_command<'n>(
    named: impl Iterator<Item = &'n String>,
    suites: &Suites,
    output_dir: Option<&Path>,
) -> Option<CliError> {
    let loaded = |name: &str| suites.loaded().iter().any(|loaded| loaded.suite.name == name);
    let absent: BTreeSet<&str> = named.map(String::as_str).filter(|name| !loaded(name)).collect();
    if absent.is_empty() {
        return None;
    }
    let runs = runs_of_others(suites, output_dir);
    let shown: Vec<String> = absent
        .iter()
        .map(|name| match runs.iter().find(|run| run.suite == *name) {
            Some(run) => format!("`{}` (it was in `{}`)", one_line(name), one_line(&run.start.suite_path)),
            None => format!("`{}`", one_line(name)),
        })
        .collect();
    let message = format!(
        "`--resume`: the command that did not finish also ran suites that are not loaded now: {}",
        shown.join(", ")
    );
    let help = "pass their paths as well, or resume the other suites one by one with `--resume=RUN_DIR`, or run \
                again without `--resume`";
    Some(CliError::new(message, help))
}

/// The error if no loaded suite has an unfinished run. A suite that is not loaded may have one.
pub(super) fn nothing_to_resume(suites: &Suites, output_dir: Option<&Path>) -> CliError {
    let unfinished = runs_of_others(suites, output_dir).into_iter().find(|run| !run.is_whole());
    let Some(run) = unfinished else {
        let message = "`--resume`: the last run of every suite is complete, or there is none";
        return CliError::new(message, "run without `--resume`");
    };
    let folder = run.path.parent().unwrap_or(&run.path).display();
    let (name, path) = (one_line(&run.suite), one_line(&run.start.suite_path));
    let message = format!(
        "`--resume`: the run `{folder}` is not complete, and its suite `{name}` is not loaded; no loaded suite has an \
         unfinished run"
    );
    let help = format!(
        "pass the path of the suite (it was in `{path}`), or, if it was renamed or removed, run without `--resume`"
    );
    CliError::new(message, help)
}

/// The newest run of each stored suite that is not loaded, as far as it can be read.
fn runs_of_others(suites: &Suites, output_dir: Option<&Path>) -> Vec<StoredProgress> {
    let own: BTreeSet<PathBuf> = suites.loaded().iter().map(|loaded| run_folders(&loaded.suite, output_dir)).collect();
    let mut bases: BTreeSet<&Path> = own.iter().filter_map(|folder| folder.parent()).collect();
    bases.insert(output_dir.unwrap_or(Path::new(RUNS)));
    let folders = bases.into_iter().flat_map(|base| {
        let names = DiskFiles.list(base).into_iter().flatten().map(|entry| entry.name);
        names.map(move |name| base.join(name))
    });
    let runs = folders.filter(|folder| !own.contains(folder)).filter_map(|folder| newest(&folder));
    runs.filter_map(|run| StoredProgress::open(&run.join("run.jsonl")).ok()).collect()
}
