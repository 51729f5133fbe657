//! Which dialect a file is written in: its content decides, not its name.

use agentci_plan::{Dialect, Node};

/// The dialect whose marks the top level of a file bears.
pub(crate) fn dialect(root: &Node) -> Option<Dialect> {
    let has = |key: &str| root.get(key).is_some();
    // A mistyped key must not make a suite look like another dialect, so the mark that no other dialect has comes first.
    if has("agent_command") || (has("suite_name") && !has("cases")) {
        return Some(Dialect::Runledger);
    }
    has("cases").then_some(Dialect::Native)
}

/// The dialect a file of this name is looked at for when a folder is searched.
pub(crate) fn expected(name: &str) -> Option<Dialect> {
    match name {
        "agentci.yaml" | "agentci.yml" => Some(Dialect::Native),
        "suite.yaml" | "suite.yml" => Some(Dialect::Runledger),
        _ => None,
    }
}

/// Whether an `agentci.yaml` holds the settings of a project rather than a suite.
pub(crate) fn is_settings(root: &Node) -> bool {
    (root.is_null() || root.pairs().is_some()) && dialect(root).is_none()
}

/// What a suite looks like, for someone who named something else.
pub(crate) const WHAT_IS_A_SUITE: &str =
    "a suite is an `agentci.yaml` with `cases:`, or a `suite.yaml` with `suite_name` and `agent_command`";
