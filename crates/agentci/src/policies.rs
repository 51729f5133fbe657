//! The gates of suites, with baselines read from disk.

use std::path::Path;

use agentci_plan::Suite;
use agentci_source::{Files as _, Sources};
use agentci_verdict::{Baseline, Policy};

use crate::DiskFiles;

/// The largest baseline that is read, in bytes.
const BASELINE_LIMIT: u64 = 256 << 20;

/// The gates of a suite, if it has any; a `chosen` baseline takes precedence over its own.
pub(crate) fn policy(suite: &Suite, sources: &Sources, chosen: Option<&Path>) -> Option<Policy> {
    let own = suite.gates.baseline.as_ref().map(|path| path.value.as_path());
    let path = chosen.or(own);
    if path.is_none() && suite.gates.is_empty() {
        return None;
    }
    let mut policy = Policy {
        baseline_path: path.map(|path| path.display().to_string()),
        baseline: path.map(read_baseline),
        ..Policy::new(&suite.gates, sources)
    };
    if chosen.is_some() {
        // The baseline of the suite is not used.
        policy.places.remove("baseline");
    }
    Some(policy)
}

/// Reads a baseline. The error does not contain the name of the file, which the caller adds.
pub fn read_baseline(path: &Path) -> Result<Baseline, String> {
    let bytes = DiskFiles.read(path, BASELINE_LIMIT).map_err(|error| error.to_string())?;
    Baseline::parse(&bytes).map_err(|error| error.to_string())
}
