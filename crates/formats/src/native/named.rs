//! A target by its name, for whoever is not a suite of this dialect.

use std::path::Path;
use std::sync::Arc;

use agentci_plan::Target;
use agentci_source::{Diagnostics, Node, read};

use super::target::target;
use super::words::SuiteFolder;
use crate::document::Loading;

/// The target that a file has under this name: below `targets:`, or its own where the suite is called so.
pub(crate) fn named_target(path: &Path, name: &str, loading: &mut Loading<'_>) -> Option<Arc<Target>> {
    let root = loading.open(path).ok()?;
    let place = SuiteFolder { files: loading.files, folder: path.parent().unwrap_or(Path::new("")) };
    let listed = root.get("targets").and_then(|targets| targets.get(name)).filter(|node| is_target(node));
    let called = root.get("suite").and_then(|node| read::text(node, "suite", &mut Diagnostics::default()));
    let own = root.get("target").filter(|_| called.as_deref() == Some(name));
    target(listed.or(own)?, place, loading.problems).map(|target| target.at(0))
}

/// Whether it is a target as suites have it: a mapping of one key that is a mapping itself.
fn is_target(node: &Node) -> bool {
    matches!(node.pairs(), Some([pair]) if pair.value.pairs().is_some())
}
