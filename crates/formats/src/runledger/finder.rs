//! Finds suites of the `runledger` dialect: a `suite.yaml`, or a file of any name that looks like one.

use std::path::Path;

use agentci_plan::Dialect;
use agentci_source::{FileKind, Node, join};

use super::{SUITE, lower};
use crate::document::OpenedFile;
use crate::finder::{Finder, FrontEnd, SuiteCandidate, is_one_of_many};
use crate::search::SuiteSearch;

/// The key that no suite of another dialect has.
const OWN_KEY: &str = "agent_command";

pub(crate) static FRONT_END: FrontEnd = FrontEnd {
    suite_names: &["suite.yaml", "suite.yml"],
    own_key: Some(OWN_KEY),
    ..FrontEnd::new(Dialect::Runledger, "a `suite.yaml` with `suite_name` and `agent_command`", has_marks, |_, _| {
        Box::new(RunledgerFinder)
    })
};

/// Whether a file has a top-level key that marks a suite.
pub(crate) fn has_marks(root: &Node) -> bool {
    root.get("suite_name").is_some() || root.get(OWN_KEY).is_some()
}

struct RunledgerFinder;

impl Finder for RunledgerFinder {
    fn take(&mut self, file: OpenedFile, search: &mut SuiteSearch<'_>) {
        let Ok(root) = file.root else { return };
        if let Some(suite) = lower(&mut search.loading(), &file.path, &root) {
            search.add_with_models(suite);
        }
    }

    fn candidate(&self, path: &Path, root: &Node, search: &SuiteSearch<'_>) -> SuiteCandidate {
        if has_marks(root) || is_meant_as_suite(path, root, search) {
            SuiteCandidate::Suite
        } else {
            SuiteCandidate::Other
        }
    }
}

/// Whether a `suite.yaml` without these keys is meant as a suite: it has other keys of one, or a `cases` folder beside
/// it.
fn is_meant_as_suite(path: &Path, root: &Node, search: &SuiteSearch<'_>) -> bool {
    let cases = join(path.parent().unwrap_or(Path::new("")), "cases");
    !is_one_of_many(root)
        && (SUITE.fields().any(|field| root.get(field.key).is_some())
            || search.files.kind(&cases) == Some(FileKind::Folder))
}
