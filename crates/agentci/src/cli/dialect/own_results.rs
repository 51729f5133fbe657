//! Result files of a suite's format, outside the run folder.

use std::path::{Path, PathBuf};

use agentci::plan::Suite;
use agentci::report::{PieceSink, ReportKind, Reporter};

use super::yao::AgentReport;

/// A report, and its name in error messages.
pub(super) type NamedReport = (String, Box<dyn Reporter>);

/// The result files of a suite's format, ready to receive the events of a run.
#[derive(Default)]
pub(crate) struct OwnResults {
    /// The results file, which is printed when the run is over.
    pub(crate) path: Option<PathBuf>,
    /// Whether that file is the default of `--out`.
    pub(crate) is_out: bool,
    /// The reports that write the files.
    pub(crate) reports: Vec<NamedReport>,
    /// The agent that writes reports once the run is over.
    pub(crate) writer: Option<AgentReport>,
}

/// The report of this name, in the shape of the suite's format.
pub(super) fn own_report(name: &str, suite: &Suite) -> Option<&'static ReportKind> {
    ReportKind::by_name(name).map(|kind| kind.spelt_for(suite.dialect.name()))
}

/// A report that is named after the file that it is written to.
pub(super) fn named(path: &Path, kind: &ReportKind, output: PieceSink) -> NamedReport {
    (path.display().to_string(), kind.make_streamed(output))
}

/// A file that does not exist yet, with a number in its name if necessary.
pub(super) fn free_path(folder: &Path, name: &str, extension: &str) -> PathBuf {
    let named = |more: &str| folder.join(format!("{name}{more}.{extension}"));
    let numbered = (2..1000).map(|count| named(&format!("-{count}")));
    [named("")].into_iter().chain(numbered).find(|path| !path.exists()).unwrap_or_else(|| named(""))
}
