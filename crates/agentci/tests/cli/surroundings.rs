//! Where the tests themselves run: on a desk, or in a job of CI with its variables set.

use std::process::Command;

/// How variables begin that change what `agentci` prints, or what it is willing to do.
const THEIRS: [&str; 10] =
    ["CI", "GITHUB_", "GITLAB_", "JOB_", "OPENAI_", "ANTHROPIC_", "AGENTCI", "NO_COLOR", "COLUMNS", "SHOP_API_KEY"];

/// Runs a command as if on a desk, wherever the test is run. A test of CI sets the variables of CI again.
pub(crate) fn on_a_desk(command: &mut Command) {
    let names = std::env::vars_os().filter_map(|(name, _)| name.into_string().ok());
    for name in names.filter(|name| THEIRS.iter().any(|begin| name.starts_with(begin))) {
        command.env_remove(name);
    }
}
