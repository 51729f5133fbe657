//! What the first event of a run tells beside the suite: the commit, the agent's folder, who asks, and the flags.

use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

/// A folder as it is shown: this one has no name.
pub(super) fn shown(folder: &Path) -> String {
    if folder.as_os_str().is_empty() { ".".to_owned() } else { folder.display().to_string() }
}

/// The commit under test, where the CI says so.
pub(super) fn commit() -> Option<String> {
    ["GITHUB_SHA", "CI_COMMIT_SHA"].iter().find_map(|name| std::env::var(name).ok()).filter(|sha| !sha.is_empty())
}

/// The time, in Unix milliseconds.
pub(super) fn unix_ms() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(now.as_millis()).expect("64 bits of milliseconds last for 500 million years")
}
