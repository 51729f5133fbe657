//! The result files of a scenario run: `<agent>_results_<time>Z.csv`, a copy of it as `results.csv` with
//! `--stable-name`, and `runner.log`, which contains all messages.

use std::io;
use std::path::{Path, PathBuf};

use agentci::ledger::{safe_name, write_whole};
use agentci::plan::Suite;
use agentci::report::{Console, ConsoleOptions, PieceSink};
use agentci::verdict::iso_utc;

use crate::cli::dialect::OwnResults;
use crate::cli::dialect::own_results::{free_path, named, own_report};
use crate::cli::{CliContext, unix_ms};

/// The workspace of containers that are made for scenario runs.
const WORKSPACE: &str = "/workspace";
/// The folder of the files, in the workspace or in the current folder.
const RESULTS: &str = "results";
const LOG: &str = "runner.log";

/// Opens the log and chooses the names of the other files, in the given folder or the default one.
pub(in super::super) fn open(
    suite: &Suite,
    folder: Option<&str>,
    stable_name: bool,
    context: &CliContext,
) -> io::Result<OwnResults> {
    let folder = folder.map_or_else(|| usual_folder(Path::new(WORKSPACE)), PathBuf::from);
    let stamp = file_stamp(unix_ms());
    fs_err::create_dir_all(&folder)?;
    let log = context.log_to(&folder.join(LOG))?;
    let verbose = ConsoleOptions { verbose: true, ..ConsoleOptions::default() };
    let console = Console::new(Box::new(log), verbose);
    let mut own = OwnResults { reports: vec![(LOG.to_owned(), Box::new(console))], ..OwnResults::default() };
    let csv = free_path(&folder, &format!("{}_results_{stamp}", safe_name(&suite.name)), "csv");
    if let Some(kind) = own_report("csv", suite) {
        let copy = stable_name.then(|| folder.join("results.csv"));
        own.reports.push(named(&csv, kind, to_files([csv.clone()].into_iter().chain(copy).collect())));
    }
    Ok(OwnResults { path: Some(csv), ..own })
}

/// An output that is written to several files.
fn to_files(paths: Vec<PathBuf>) -> PieceSink {
    Box::new(move |write| {
        let mut bytes = Vec::new();
        write(&mut bytes)?;
        paths.iter().try_for_each(|path| write_whole(path, &bytes))
    })
}

/// The default folder: in the workspace of a container if it is writable, else in the current folder.
fn usual_folder(workspace: &Path) -> PathBuf {
    let theirs = workspace.join(RESULTS);
    let writable = || {
        fs_err::create_dir_all(&theirs)?;
        fs_err::OpenOptions::new().append(true).create(true).open(theirs.join(LOG))
    };
    if workspace.is_dir() && writable().is_ok() { theirs } else { PathBuf::from(RESULTS) }
}

/// `2026-11-15T06-00-00Z`: a time that is a valid file name on every file system.
fn file_stamp(unix_ms: u64) -> String {
    let second = iso_utc(unix_ms).replace(':', "-");
    format!("{}Z", second.split('.').next().expect("a split has a first part"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_timestamp_has_no_colons() {
        assert_eq!(file_stamp(1_763_176_000_123), "2025-11-15T03-06-40Z");
    }

    #[test]
    fn results_from_the_same_second_get_distinct_files() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["a_results_1Z.csv", "a_results_1Z-2.csv", "a_results_1Z-3.csv"] {
            let path = free_path(folder.path(), "a_results_1Z", "csv");
            assert_eq!(path.file_name().unwrap(), name);
            std::fs::write(path, "").unwrap();
        }
    }

    #[test]
    fn uses_workspace_results_folder_if_workspace_exists() {
        let workspace = tempfile::tempdir().unwrap();
        assert_eq!(usual_folder(workspace.path()), workspace.path().join("results"));
        assert_eq!(usual_folder(&workspace.path().join("none")), Path::new("results"));
        let file = workspace.path().join("file");
        std::fs::write(&file, "").unwrap();
        assert_eq!(usual_folder(&file), Path::new("results"));
    }
}
