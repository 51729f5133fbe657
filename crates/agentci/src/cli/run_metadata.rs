//! What the first event of a run tells beside the suite: the commit, the agent's folder, who asks, and the flags.

use std::collections::BTreeMap;
use std::time::{SystemTime, UNIX_EPOCH};

use agentci::plan::Suite;
use agentci::runner::Facts;
use serde_json::Value;

/// The facts of a run that keeps its results in a folder of this name, with the `flags` that were given and who asks the agents.
pub(super) fn facts(
    suite: &Suite,
    run_id: &str,
    flags: BTreeMap<String, Value>,
    asker: BTreeMap<String, String>,
) -> Facts {
    let shown = |folder: &std::path::PathBuf| match folder.display().to_string() {
        here if here.is_empty() => ".".to_owned(),
        folder => folder,
    };
    Facts {
        run_id: run_id.to_owned(),
        git_sha: commit(),
        agent_path: suite.agent_folder.as_ref().map(shown),
        environment: asker,
        options: flags,
        ..Facts::default()
    }
}

/// The commit under test, where the CI says so.
fn commit() -> Option<String> {
    ["GITHUB_SHA", "CI_COMMIT_SHA"].iter().find_map(|name| std::env::var(name).ok()).filter(|sha| !sha.is_empty())
}

/// The time, in Unix milliseconds.
pub(super) fn unix_ms() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(now.as_millis()).unwrap_or_default()
}
