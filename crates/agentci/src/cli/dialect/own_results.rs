//! What a suite's format keeps beside the run folder.

use std::path::{Path, PathBuf};

use agentci::plan::Suite;
use agentci::report::{ReportKind, ReportOutput, Reporter};

use super::yao::AgentReport;

/// A report, and the name that its errors are told with.
pub(super) type NamedReport = (String, Box<dyn Reporter>);

/// What a suite's format keeps beside the run folder, ready to be fed with the events of a run.
#[derive(Default)]
pub(crate) struct OwnResults {
    /// The file of results, which is named when the run is over.
    pub(crate) path: Option<PathBuf>,
    /// Whether that file is the default of `--out`.
    pub(crate) is_out: bool,
    /// What writes the files.
    pub(crate) reports: Vec<NamedReport>,
    /// The agent that writes reports once the run is over.
    pub(crate) writer: Option<AgentReport>,
}

/// The report of this name in the shape that a suite's format gives it.
pub(super) fn own_report(name: &str, suite: &Suite) -> Option<&'static ReportKind> {
    ReportKind::by_name(name).map(|kind| kind.spelt_for(suite.dialect.name()))
}

/// Names a report that goes to a file after the file.
pub(super) fn named(path: &Path, kind: &ReportKind, output: ReportOutput) -> NamedReport {
    (path.display().to_string(), kind.make(output))
}

/// A file that does not exist yet: one with a number where there is one of that name.
pub(super) fn free_path(folder: &Path, name: &str, extension: &str) -> PathBuf {
    let named = |more: &str| folder.join(format!("{name}{more}.{extension}"));
    let numbered = (2..1000).map(|count| named(&format!("-{count}")));
    [named("")].into_iter().chain(numbered).find(|path| !path.exists()).unwrap_or_else(|| named(""))
}
