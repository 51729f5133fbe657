//! Makes tests independent of where they run: on a developer's machine, or in a CI job with its variables.

use std::process::Command;

/// Prefixes of variables that change the output or behaviour of `agentci`.
const THEIRS: [&str; 10] =
    ["CI", "GITHUB_", "GITLAB_", "JOB_", "OPENAI_", "ANTHROPIC_", "AGENTCI", "NO_COLOR", "COLUMNS", "SHOP_API_KEY"];

/// Removes those variables, as on a developer's machine. Tests of CI behaviour set the variables of CI again.
pub(crate) fn on_a_desk(command: &mut Command) {
    let names = std::env::vars_os().filter_map(|(name, _)| name.into_string().ok());
    for name in names.filter(|name| THEIRS.iter().any(|begin| name.starts_with(begin))) {
        command.env_remove(name);
    }
}
