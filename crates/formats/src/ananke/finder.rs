//! The tests of the `ananke` dialect among what is found, each taken to its config.

use std::path::{Path, PathBuf};

use agentci_plan::Dialect;
use agentci_source::{Diagnostic, Severity, Span, join};

use crate::detect::fits;
use crate::loader::Loader;
use crate::{ananke, document};

impl Loader<'_> {
    /// Takes all tests below the folder of a config to it, whatever the config is called.
    pub(crate) fn named_config(&mut self, config: &Path, span: Span) {
        let mut paths = Vec::new();
        let folder = join(config.parent().unwrap_or(Path::new("")), "");
        self.start(&folder);
        self.below(&folder, 0, &mut paths);
        let mut found = false;
        for path in paths.into_iter().filter(|path| path != config) {
            found |= self.conversation(&path, Some(config));
        }
        if !found {
            self.report_empty(config, span, Severity::Error);
        }
    }

    /// YAML files at or below a folder that may belong to its config: not those of suites and of other configs.
    fn below(&mut self, folder: &Path, depth: usize, paths: &mut Vec<PathBuf>) {
        if !self.goes_on(folder, depth) {
            return;
        }
        let look = self.look(folder);
        let mut is_suite = |(path, expected): &(PathBuf, Dialect)| {
            document::open(self.files, &mut self.loaded.plan.sources, path).is_ok_and(|root| fits(&root, *expected))
        };
        if depth > 0 && (look.config.is_some() || look.candidates.iter().any(&mut is_suite)) {
            return;
        }
        paths.extend(look.others);
        for folder in look.folders {
            self.below(&folder, depth + 1, paths);
        }
    }

    /// Takes the tests of the `ananke` dialect out of these files; whether there are any. Files that nothing hints at are not
    /// opened.
    pub(crate) fn conversations(&mut self, paths: &mut Vec<PathBuf>) -> bool {
        let before = paths.len();
        paths.retain(|path| !self.projects.may_be_test(path) || !self.conversation(path, None));
        paths.len() < before
    }

    /// Takes the files out of these that have the name of a test and can not be read, and reports them: nobody can tell whose
    /// tests they are, and one that is broken must not be left out without a word. Beside suites it is a warning, for there they
    /// are likely to be of something else. Whether there are any.
    pub(crate) fn unreadable_tests(&mut self, paths: &mut Vec<PathBuf>, severity: Severity) -> bool {
        let before = paths.len();
        paths.retain(|path| match self.unreadable.remove(path) {
            Some(problem) => {
                self.loaded.diagnostics.push(Diagnostic { severity, ..problem });
                false
            }
            None => true,
        });
        paths.len() < before
    }

    /// Takes a test of the `ananke` dialect to its config, or to the given one; whether the file is one.
    fn conversation(&mut self, path: &Path, config: Option<&Path>) -> bool {
        if self.opened.contains(path) {
            return true;
        }
        let test = self.open_test(path);
        if !self.projects.is_test(&test) {
            if let Err(problem) = test.root
                && ananke::is_named_as_test(path)
            {
                self.unreadable.insert(path.to_path_buf(), problem);
            }
            return false;
        }
        self.opened.insert(path.to_path_buf());
        match config {
            Some(config) => self.projects.add_to(config.to_path_buf(), test),
            None => self.projects.add(test),
        }
        true
    }

    pub(crate) fn open_test(&mut self, path: &Path) -> ananke::Test {
        let root = document::open(self.files, &mut self.loaded.plan.sources, path);
        ananke::Test { path: path.to_path_buf(), root }
    }

    /// Reports a config that no test belongs to.
    pub(crate) fn report_empty(&mut self, config: &Path, span: Span, severity: Severity) {
        let message = format!("no tests belong to `{}`", config.display());
        let help = "a test is a YAML file with `turns:` in the config's folder or below it";
        let diagnostic = Diagnostic::error(span, message).help(help);
        self.loaded.diagnostics.push(Diagnostic { severity, ..diagnostic });
    }

    /// One error for all the tests that have no config.
    pub(crate) fn report_homeless(&mut self, tests: Vec<ananke::Test>) {
        let Some(first) = tests.first() else { return };
        let others = match tests.len() - 1 {
            0 => String::new(),
            1 => " and another test".to_owned(),
            count => format!(" and {count} other tests"),
        };
        let message = format!("no `ananke.config.yaml` was found for `{}`{others}", first.path.display());
        let span = first.root.as_ref().map_or_else(|problem| problem.span, |root| root.span);
        let help = "put one into the test's folder or one above it, or name one with `--config`";
        self.loaded.diagnostics.push(Diagnostic::error(span, message).label("a test needs one").help(help));
        for problem in tests.into_iter().filter_map(|test| test.root.err()) {
            self.loaded.diagnostics.push(problem);
        }
    }
}
