//! Decides what an `agentci.yaml` is: a suite, the settings of a project, or neither.

use agentci_source::{Node, did_you_mean};

use super::target::has_target;
use crate::{ananke, aumai, runledger, scenario};

/// Names of files that contain a suite or the settings of a project.
pub(crate) const NAMES: [&str; 2] = ["agentci.yaml", "agentci.yml"];

/// Whether the top level of a file has the keys of a suite. A file whose `cases` is misspelled, or called `tests` as in
/// other tools, is still a suite.
pub(crate) fn has_marks(root: &Node) -> bool {
    root.get("cases").is_some() || root.get("suite").is_some() || has_target(root)
}

/// Whether an `agentci.yaml` is a suite, even if its keys are misspelled.
pub(crate) fn is_suite(root: &Node) -> bool {
    let near = |key: &str| did_you_mean(key, ["suite", "cases"]).is_some();
    let is_nearly_one = || root.pairs().unwrap_or_default().iter().any(|pair| near(&pair.key.text));
    has_marks(root) || (is_nearly_one() && !is_of_another_dialect(root))
}

/// Whether an `agentci.yaml` contains the settings of a project and not a suite.
pub(crate) fn is_settings(root: &Node) -> bool {
    (root.is_null() || root.pairs().is_some()) && !is_suite(root)
}

/// Whether a file is empty, except for comments.
pub(super) fn is_empty(root: &Node) -> bool {
    root.is_null() || root.pairs().is_some_and(<[_]>::is_empty)
}

fn is_of_another_dialect(root: &Node) -> bool {
    runledger::has_marks(root)
        || aumai::has_tests(root)
        || ananke::is_test(root)
        || ananke::is_config(root)
        || scenario::is_scenario(root)
}
