//! Finds suites of the native dialect: files named `agentci.yaml`, or files of any name that look like one.

use std::path::Path;

use agentci_plan::Dialect;
use agentci_source::{Diagnostic, Node};

use super::lower;
use super::shape::{NAMES, has_marks, is_empty, is_settings, is_suite};
use crate::document::OpenedFile;
use crate::finder::{Finder, FrontEnd, SuiteCandidate};
use crate::search::SuiteSearch;

pub(crate) static FRONT_END: FrontEnd = FrontEnd {
    suite_names: &NAMES,
    fits_named: is_suite,
    ..FrontEnd::new(Dialect::Native, "an `agentci.yaml` with `cases:`", has_marks, |_, _| Box::new(NativeFinder))
};

struct NativeFinder;

impl Finder for NativeFinder {
    fn take(&mut self, file: OpenedFile, search: &mut SuiteSearch<'_>) {
        let Ok(root) = file.root else { return };
        if let Some(suite) = lower(&mut search.loading(), &file.path, root) {
            search.add_with_models(suite);
        }
    }

    fn candidate(&self, path: &Path, root: &Node, search: &SuiteSearch<'_>) -> SuiteCandidate {
        if is_suite(root) {
            SuiteCandidate::Suite
        } else if is_empty(root) {
            let problem = Diagnostic::error(root.span, format!("`{}` is empty", path.display()))
                .help("add `suite:` and `cases:`, or project settings, or remove the file");
            SuiteCandidate::Empty((!search.options.empty_allowed).then_some(problem))
        } else if is_settings(root) {
            SuiteCandidate::Settings
        } else {
            SuiteCandidate::Other
        }
    }

    fn refusal(&self, path: &Path, root: &Node) -> Option<Diagnostic> {
        is_settings(root).then(|| {
            Diagnostic::error(root.span, format!("`{}` is not a suite: `cases:` is missing", path.display()))
                .help("add `suite:` and `cases:`, or name a folder to search")
        })
    }
}
