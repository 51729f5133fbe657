//! Reads the summaries of stored runs.

use std::path::Path;

use agentci::DiskFiles;
use agentci::ledger::safe_name;
use agentci::plan::Suite;
use agentci::source::Files as _;
use serde_json::Value;

use super::CliError;

/// The default folder of run folders.
pub(crate) const RUNS: &str = ".agentci/runs";

/// The largest summary that is read, in bytes.
const SUMMARY_LIMIT: u64 = 256 << 20;

/// The help for a missing or invalid summary.
const HELP: &str = "pass a run folder, as printed after `artifacts:`, or its `summary.json`";

/// Reads the summary in a run folder, or the file itself.
pub(crate) fn summary(run: &Path) -> Result<Value, CliError> {
    let path = if run.is_dir() { run.join("summary.json") } else { run.to_path_buf() };
    let bytes = DiskFiles.read(&path, SUMMARY_LIMIT).map_err(|error| unreadable(&path, error))?;
    serde_json::from_slice(&bytes).map_err(|error| unreadable(&path, format!("it is not JSON: {error}")))
}

/// The summary of the newest run of a suite, if there is one.
pub(crate) fn newest_summary(suite: &Suite) -> Option<Value> {
    let folder = suite.output_dir.as_deref().unwrap_or(Path::new(RUNS)).join(safe_name(&suite.name));
    let run = DiskFiles.list(&folder).ok()?.pop()?;
    summary(&folder.join(run.name)).ok()
}

pub(crate) fn unreadable(path: &Path, reason: impl std::fmt::Display) -> CliError {
    CliError::new(format!("the summary `{}` cannot be used: {reason}", path.display()), HELP)
}

/// The name of a run in messages.
pub(crate) fn named(summary: &Value) -> String {
    let text = |pointer: &str| summary.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned();
    let parts = [text("/suite/name"), text("/run/run_id")];
    agentci::report::one_line(&parts.join("/")).into_owned()
}
