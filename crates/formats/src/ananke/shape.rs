//! Classifies YAML files: a test, a config, or neither.

use std::path::Path;

use agentci_source::{Files, Node, Pair, did_you_mean};

use super::config::NAMES;
use super::other_releases::has_steps;
use crate::document::SIZE_LIMIT;
use crate::{aumai, scenario};

pub(crate) fn is_test(root: &Node) -> bool {
    let turns = root.get("turns").is_some_and(|turns| turns.items().is_some());
    !of_another_dialect(root) && (turns || has_steps(root))
}

/// Whether a file has turns under a mistyped key, such as `turn`.
pub(super) fn has_mistyped_turns(root: &Node) -> bool {
    let mistyped = |pair: &Pair| did_you_mean(&pair.key.text, ["turns"]).is_some() && pair.value.items().is_some();
    root.pairs().unwrap_or_default().iter().any(mistyped)
}

/// Whether a file that has the name and config of a test, but not its keys, was meant as a test: it is not clearly
/// something else.
pub(super) fn is_meant_as_test(root: &Node) -> bool {
    !of_another_dialect(root) && !is_config(root) && !aumai::has_tests(root) && !scenario::is_scenario(root)
}

pub(crate) fn is_config(root: &Node) -> bool {
    let target = root.get("target").is_some_and(|target| target.get("type").is_some());
    !of_another_dialect(root) && target && root.get("version").is_some()
}

fn of_another_dialect(root: &Node) -> bool {
    ["cases", "suite", "suite_name", "agent_command"].iter().any(|key| root.get(key).is_some())
}

/// Whether a file has the name of a config.
pub(crate) fn is_named_as_config(path: &Path) -> bool {
    path.file_name().and_then(|name| name.to_str()).is_some_and(|name| NAMES.contains(&name))
}

/// Whether a file has the usual name of a test.
pub(crate) fn is_named_as_test(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    name.ends_with(".test.yaml") || name.ends_with(".test.yml")
}

/// Whether a file that cannot be parsed has the `turns:` of a test.
pub(super) fn reads_like_a_test(files: &dyn Files, path: &Path) -> bool {
    files.read_text(path, SIZE_LIMIT).is_ok_and(|text| text.lines().any(|line| line.starts_with("turns:")))
}
