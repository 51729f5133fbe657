//! Metadata of a run: the agent's folder, the commit and the time.

use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

/// A folder as it is shown; `.` for the current folder.
pub(super) fn shown(folder: &Path) -> String {
    if folder.as_os_str().is_empty() { ".".to_owned() } else { folder.display().to_string() }
}

/// The commit under test, from the variables of the CI.
pub(super) fn commit() -> Option<String> {
    ["GITHUB_SHA", "CI_COMMIT_SHA"].iter().find_map(|name| std::env::var(name).ok()).filter(|sha| !sha.is_empty())
}

/// The time, in Unix milliseconds.
pub(super) fn unix_ms() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(now.as_millis()).expect("64 bits of milliseconds last for 500 million years")
}
