//! The files that a run of scenarios leaves where its users look for them: `<agent>_results_<time>Z.csv`, a copy of it as
//! `results.csv` if asked for, and `runner.log`, which holds everything that was said.

use std::cell::RefCell;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::{SystemTime, UNIX_EPOCH};

use agentci::ledger::{safe_name, write_whole};
use agentci::plan::{Dialect, Suite};
use agentci::report::{Console, ConsoleOptions, FanOut, Output, ReportKind};
use agentci::verdict::iso_utc;

use crate::cli::context::Context;
use crate::cli::run::RunArguments;

/// Where the files go in a container that is made for them.
const WORKSPACE: &str = "/workspace";
/// The folder of the files, there or here.
const RESULTS: &str = "results";
const LOG: &str = "runner.log";

/// The files of one suite.
pub(crate) struct ResultFiles {
    csv: PathBuf,
    copy: Option<PathBuf>,
    log: Rc<RefCell<fs_err::File>>,
}

impl ResultFiles {
    /// Opens the log and chooses the names, if the suite is one of scenarios. Of a log that can not be written it is told.
    pub(crate) fn open(arguments: &RunArguments, suite: &Suite, context: &Context) -> Option<Result<Self, String>> {
        if suite.dialect != Dialect::Scenario {
            return None;
        }
        let asked = arguments.reports.folder().map(PathBuf::from);
        let folder = asked.unwrap_or_else(|| usual_folder(Path::new(WORKSPACE)));
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let stamp = file_stamp(u64::try_from(now.as_millis()).unwrap_or_default());
        let log = fs_err::create_dir_all(&folder).and_then(|()| context.log_to(&folder.join(LOG)));
        Some(log.map_err(|error| error.to_string()).map(|log| Self {
            csv: free(&folder, &format!("{}_results_{stamp}", safe_name(&suite.name))),
            copy: arguments.scenario.stable_name.then(|| folder.join("results.csv")),
            log,
        }))
    }

    /// The file of results.
    pub(crate) fn csv(&self) -> &Path {
        &self.csv
    }

    /// Adds what writes them.
    pub(crate) fn add_to(&self, reports: &mut FanOut) {
        let log = ConsoleOptions { verbose: true, ..ConsoleOptions::default() };
        reports.add(LOG, Box::new(Console::new(Box::new(Shared(Rc::clone(&self.log))), log)));
        let kind = ReportKind::by_name("csv").map(|kind| kind.spelt_for(Dialect::Scenario.name()));
        if let Some(kind) = kind {
            let paths: Vec<PathBuf> = [&self.csv].into_iter().chain(&self.copy).cloned().collect();
            let write: Output = Box::new(move |bytes| {
                paths.iter().try_for_each(|path| write_whole(path, bytes)).map_err(io::Error::other)
            });
            reports.add(self.csv.display().to_string(), kind.make(write));
        }
    }
}

/// A log that several write to.
struct Shared(Rc<RefCell<fs_err::File>>);

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.borrow_mut().flush()
    }
}

/// The folder where nobody chooses one: below the workspace of a container if it can be written to, else here.
fn usual_folder(workspace: &Path) -> PathBuf {
    let theirs = workspace.join(RESULTS);
    let writable = || {
        fs_err::create_dir_all(&theirs)?;
        fs_err::OpenOptions::new().append(true).create(true).open(theirs.join(LOG))
    };
    if workspace.is_dir() && writable().is_ok() { theirs } else { PathBuf::from(RESULTS) }
}

/// `2026-11-15T06-00-00Z`: a time that every file system takes in a name.
fn file_stamp(unix_ms: u64) -> String {
    let second = iso_utc(unix_ms).replace(':', "-");
    format!("{}Z", second.split('.').next().unwrap_or_default())
}

/// The first file of this name that is not there yet.
fn free(folder: &Path, name: &str) -> PathBuf {
    let named = |more: &str| folder.join(format!("{name}{more}.csv"));
    let numbered = (2..1000).map(|count| named(&format!("-{count}")));
    [named("")].into_iter().chain(numbered).find(|path| !path.exists()).unwrap_or_else(|| named(""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stamp_has_no_colon() {
        assert_eq!(file_stamp(1_763_176_000_123), "2025-11-15T03-06-40Z");
    }

    #[test]
    fn results_of_the_same_second_have_files_of_their_own() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["a_results_1Z.csv", "a_results_1Z-2.csv", "a_results_1Z-3.csv"] {
            let path = free(folder.path(), "a_results_1Z");
            assert_eq!(path.file_name().unwrap(), name);
            std::fs::write(path, "").unwrap();
        }
    }

    #[test]
    fn a_workspace_that_is_there_is_used() {
        let workspace = tempfile::tempdir().unwrap();
        assert_eq!(usual_folder(workspace.path()), workspace.path().join("results"));
        assert_eq!(usual_folder(&workspace.path().join("none")), Path::new("results"));
        let file = workspace.path().join("file");
        std::fs::write(&file, "").unwrap();
        assert_eq!(usual_folder(&file), Path::new("results"));
    }
}
