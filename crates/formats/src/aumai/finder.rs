//! Finds suites of the `aumai` dialect: a named file of tests, or all files of tests below a folder without suites.

use std::path::{Path, PathBuf};

use agentci_plan::Dialect;
use agentci_source::Diagnostics;

use super::{Documents, has_tests, lower};
use crate::ananke;
use crate::document::OpenedFile;
use crate::finder::{Finder, FrontEnd};
use crate::search::SuiteSearch;

/// The number of unreadable files that are reported if no suite is found.
const UNREADABLE_TOLD: usize = 3;

pub(crate) static FRONT_END: FrontEnd =
    FrontEnd::new(Dialect::Aumai, "a folder of tests with `name` and `expected_behavior`", has_tests, |_, _| {
        Box::new(AumaiFinder)
    });

struct AumaiFinder;

impl Finder for AumaiFinder {
    fn take(&mut self, file: OpenedFile, search: &mut SuiteSearch<'_>) {
        let Ok(root) = file.root else { return };
        let path = file.path.as_path();
        let name = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or("tests").to_owned();
        let folder = path.parent().unwrap_or(Path::new(""));
        let files = vec![(path.to_path_buf(), root)];
        let documents = Documents { name, path, folder, files, mock: &search.options.mock };
        if let (Some(suite), _) = lower(&mut search.loading(), documents) {
            search.add_with_models(suite);
        }
    }

    fn take_opened(
        &mut self,
        folder: &Path,
        files: &mut Vec<OpenedFile>,
        search: &mut SuiteSearch<'_>,
    ) -> Option<Vec<PathBuf>> {
        let mut opened = Vec::with_capacity(files.len());
        let mut unreadable = Diagnostics::default();
        let mut likely = Vec::new();
        for OpenedFile { path, root } in std::mem::take(files) {
            match root {
                Ok(root) => opened.push((path, root)),
                Err(problem) => {
                    // The `ananke` finder reports files with the name of a test.
                    if !ananke::is_named_as_test(&path) && likely.len() < UNREADABLE_TOLD {
                        likely.push(problem.clone());
                    }
                    unreadable.push(problem);
                }
            }
        }
        if !opened.iter().any(|(_, root)| has_tests(root)) {
            // No suite was found, so an unreadable file may be the missing suite.
            if !search.found {
                for problem in likely {
                    search.report(problem);
                }
            }
            return None;
        }
        let refused = unreadable.has_errors();
        search.loaded.diagnostics.append(unreadable);
        let again = !search.opened.insert(folder.to_path_buf());
        let name = search.files.name(folder).unwrap_or_else(|| "tests".into());
        let documents = Documents { name, path: folder, folder, files: opened, mock: &search.options.mock };
        let (suite, strays) = lower(&mut search.loading(), documents);
        if let Some(suite) = suite.filter(|_| !refused && !again) {
            search.add(suite);
        }
        Some(strays)
    }
}
