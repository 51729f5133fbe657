//! Finds suites of the `ananke` dialect: a config and all tests that belong to it.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use agentci_plan::Dialect;
use agentci_source::{Diagnostic, Node, Severity, Span};

use super::config::NAMES;
use super::shape::{is_config, is_named_as_config, is_named_as_test, is_test};
use super::{AnankeProjects, lower};
use crate::aumai;
use crate::document::{OpenedFile, folder_of};
use crate::finder::{FRONT_ENDS, Finder, FrontEnd};
use crate::search::SuiteSearch;

pub(crate) static FRONT_END: FrontEnd = FrontEnd {
    config_names: &NAMES,
    ..FrontEnd::new(Dialect::Ananke, "an `ananke.config.yaml` with tests that have `turns:`", fits, |files, options| {
        let projects = AnankeProjects::new(files, options.config.as_deref());
        Box::new(AnankeFinder { projects, unreadable: HashMap::new() })
    })
};

fn fits(root: &Node) -> bool {
    (is_test(root) || is_config(root)) && !aumai::has_tests(root)
}

struct AnankeFinder<'f> {
    projects: AnankeProjects<'f>,
    /// Files with the name of a test that cannot be read, with the reason.
    unreadable: HashMap<PathBuf, Diagnostic>,
}

impl Finder for AnankeFinder<'_> {
    fn is_meant(&mut self, file: &OpenedFile) -> bool {
        (file.root.is_ok() && is_named_as_config(&file.path)) || self.projects.is_test(file)
    }

    fn take(&mut self, file: OpenedFile, search: &mut SuiteSearch<'_>) {
        match &file.root {
            Ok(root) if is_named_as_config(&file.path) || is_config(root) => {
                self.take_config(&file.path, root.span, search);
            }
            _ => self.projects.add(file),
        }
    }

    /// Only opens files with the name of a test or with a config.
    fn take_found(&mut self, paths: &mut Vec<PathBuf>, search: &mut SuiteSearch<'_>) -> bool {
        let before = paths.len();
        paths.retain(|path| !self.projects.may_be_test(path) || !self.take_test(path, None, search));
        paths.len() < before
    }

    fn take_opened(
        &mut self,
        _folder: &Path,
        files: &mut Vec<OpenedFile>,
        _: &mut SuiteSearch<'_>,
    ) -> Option<Vec<PathBuf>> {
        let of_us = |file: &mut OpenedFile| file.root.as_ref().is_ok_and(is_test);
        let tests: Vec<OpenedFile> = files.extract_if(.., of_us).collect();
        let found = !tests.is_empty();
        for test in tests {
            self.projects.add(test);
        }
        found.then(Vec::new)
    }

    /// Reports unreadable files with the name of a test, so that no broken test is skipped silently. If suites were
    /// found, it is only a warning, since the files may belong to another program.
    fn report_left(&mut self, configs: &[PathBuf], strays: &mut Vec<PathBuf>, search: &mut SuiteSearch<'_>) -> bool {
        let severity = if search.found { Severity::Warning } else { Severity::Error };
        let mut reported = false;
        strays.retain(|path| {
            let problem = self.unreadable.remove(path);
            reported |= problem.is_some();
            problem.map(|problem| search.report(Diagnostic { severity, ..problem })).is_none()
        });
        for config in configs.iter().filter(|config| self.projects.is_empty(config)) {
            let span = search.whole(config);
            report_empty(config, span, severity, search);
            reported = true;
        }
        reported
    }

    fn finish(&mut self, search: &mut SuiteSearch<'_>) {
        let (projects, homeless) = self.projects.finish();
        for project in projects {
            if let Some(suite) = lower(&mut search.loading(), project) {
                search.add(suite);
            }
        }
        report_homeless(homeless, search);
    }
}

impl AnankeFinder<'_> {
    /// Adds all tests below the folder of a config to it. The config may have any name.
    fn take_config(&mut self, config: &Path, span: Span, search: &mut SuiteSearch<'_>) {
        let mut paths = Vec::new();
        let folder = folder_of(config);
        search.start(&folder);
        below(&folder, 0, &mut paths, search);
        let mut found = false;
        for path in paths.into_iter().filter(|path| path != config) {
            found |= self.take_test(&path, Some(config), search);
        }
        if !found {
            report_empty(config, span, Severity::Error, search);
        }
    }

    /// Adds a test to its config, or to the given one; returns whether the file is a test.
    fn take_test(&mut self, path: &Path, config: Option<&Path>, search: &mut SuiteSearch<'_>) -> bool {
        if search.opened.contains(path) {
            return true;
        }
        let test = search.open(path);
        if !self.projects.is_test(&test) {
            if let Err(problem) = test.root
                && is_named_as_test(path)
            {
                self.unreadable.insert(path.to_path_buf(), problem);
            }
            return false;
        }
        search.opened.insert(path.to_path_buf());
        match config {
            Some(config) => self.projects.add_to(config.to_path_buf(), test),
            None => self.projects.add(test),
        }
        true
    }
}

/// Collects the YAML files at or below a folder that may belong to its config. Folders of other suites and configs are
/// skipped.
fn below(folder: &Path, depth: usize, paths: &mut Vec<PathBuf>, search: &mut SuiteSearch<'_>) {
    if !search.goes_on(folder, depth) {
        return;
    }
    let look = search.look(folder);
    let mut is_suite = |(path, expected): &(PathBuf, Dialect)| {
        let fits = FRONT_ENDS.iter().find(|front| front.dialect == *expected).map(|front| front.fits);
        search.open(path).root.is_ok_and(|root| fits.is_some_and(|fits| fits(&root)))
    };
    if depth > 0 && (look.config.is_some() || look.candidates.iter().any(&mut is_suite)) {
        return;
    }
    paths.extend(look.others);
    for folder in look.folders {
        below(&folder, depth + 1, paths, search);
    }
}

/// Reports a config without tests.
fn report_empty(config: &Path, span: Span, severity: Severity, search: &mut SuiteSearch<'_>) {
    let message = format!("no tests belong to `{}`", config.display());
    let help = "a test is a YAML file with `turns:` in the config's folder or below it";
    search.report(Diagnostic { severity, ..Diagnostic::error(span, message).help(help) });
}

/// Reports all tests without a config, in one error.
fn report_homeless(tests: Vec<OpenedFile>, search: &mut SuiteSearch<'_>) {
    let Some(first) = tests.first() else { return };
    let others = match tests.len() - 1 {
        0 => String::new(),
        1 => " and another test".to_owned(),
        count => format!(" and {count} other tests"),
    };
    let message = format!("no `ananke.config.yaml` was found for `{}`{others}", first.path.display());
    let span = first.root.as_ref().map_or_else(|problem| problem.span, |root| root.span);
    let help = "add one to the test's folder or a parent folder, or pass one with `--config`";
    search.report(Diagnostic::error(span, message).label("needs a config").help(help));
    for problem in tests.into_iter().filter_map(|test| test.root.err()) {
        search.report(problem);
    }
}
