//! The cases that did not pass in a stored run, for `--failed`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use agentci::DiskFiles;
use agentci::ledger::{self, safe_name};
use agentci::plan::Suite;
use agentci::source::Files as _;
use agentci::verdict::{Body, CaseStatus};

use super::{CliError, RUNS};

/// The cases of one suite that did not pass in a stored run.
#[derive(Debug)]
pub(super) struct FailedCases {
    suite: String,
    ids: BTreeSet<String>,
}

impl FailedCases {
    /// Reads them from a run folder. A case that was running when the run was killed did not pass either.
    pub(super) fn read(run: &Path) -> Result<Self, CliError> {
        let file = if run.is_dir() { run.join("run.jsonl") } else { run.to_path_buf() };
        let mut failed = BTreeSet::new();
        let mut suite = String::new();
        let mut ids = BTreeSet::new();
        let played = ledger::play(&file, |event| {
            if suite.is_empty() {
                suite = event.suite.to_string();
            }
            match (&event.body, &event.case_id) {
                (Body::TaskStart(_), Some(id)) => {
                    ids.insert(id.to_string());
                }
                (Body::CaseEnd(end), Some(id)) => {
                    ids.remove(&**id);
                    if matches!(end.status, CaseStatus::Fail | CaseStatus::Error) {
                        failed.insert(id.to_string());
                    }
                }
                _ => {}
            }
        });
        let unusable = |reason: String| {
            let message = format!("the cases that failed in `{}` cannot be read: {reason}", run.display());
            CliError::new(message, "pass a run folder, as printed after `artifacts:`")
        };
        let played = played.map_err(|error| unusable(error.to_string()))?;
        if let Some(damage) = played.damaged.first() {
            return Err(unusable(format!("line {}: {}", damage.line, damage.reason)));
        }
        if suite.is_empty() {
            return Err(unusable(format!("`{}` contains no run events", file.display())));
        }
        ids.append(&mut failed);
        Ok(Self { suite, ids })
    }

    /// Reads them from the newest run of a suite.
    pub(super) fn of_newest(suite: &Suite, output_dir: Option<&Path>) -> Result<Self, CliError> {
        let folder = run_folders(suite, output_dir);
        let Some(run) = newest(&folder) else {
            return Err(CliError::new(
                format!("`--failed`: the suite `{}` has no stored run in `{}`", suite.name, folder.display()),
                "run it once without `--failed`",
            ));
        };
        Self::read(&run)
    }

    /// Whether this case of this suite did not pass.
    pub(super) fn has(&self, suite: &str, case: &str) -> bool {
        self.suite == suite && self.ids.contains(case)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }
}

/// The newest run folder of a suite, if there is one.
pub(super) fn newest_run(suite: &Suite, output_dir: Option<&Path>) -> Option<PathBuf> {
    newest(&run_folders(suite, output_dir))
}

/// All run folders of a suite, the newest first.
pub(super) fn newest_runs(suite: &Suite, output_dir: Option<&Path>) -> Vec<PathBuf> {
    let mut runs = runs_in(&run_folders(suite, output_dir));
    runs.sort_by_cached_key(|(order, _)| std::cmp::Reverse(order.clone()));
    runs.into_iter().map(|(_, run)| run).collect()
}

/// Where the run folders of a suite are.
pub(super) fn run_folders(suite: &Suite, output_dir: Option<&Path>) -> PathBuf {
    output_dir.or(suite.output_dir.as_deref()).unwrap_or(Path::new(RUNS)).join(safe_name(&suite.name))
}

/// The newest run folder in a folder.
pub(super) fn newest(folder: &Path) -> Option<PathBuf> {
    runs_in(folder).into_iter().max_by(|(one, _), (other, _)| one.cmp(other)).map(|(_, run)| run)
}

/// The run folders in a folder, each with its place in the order of time. Runs that began in the same second are
/// numbered.
fn runs_in(folder: &Path) -> Vec<((String, Option<u32>), PathBuf)> {
    let names = DiskFiles.list(folder).into_iter().flatten().map(|entry| entry.name);
    let order = |name: &str| {
        let number = name.splitn(3, '-').nth(2).and_then(|number| number.parse::<u32>().ok());
        (name.split('-').take(2).collect::<Vec<_>>().join("-"), number)
    };
    let runs = names.filter(|name| folder.join(name).join("run.jsonl").is_file());
    runs.map(|name| (order(&name), folder.join(name))).collect()
}
