//! Assigns tests to their configs.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use agentci_source::{FileKind, Files, join};

use super::config::NAMES;
use super::shape::{has_mistyped_turns, is_meant_as_test, is_named_as_test, is_test, reads_like_a_test};
use crate::document::{OpenedFile as Test, folder_of, upward};

/// The number of folders, from the test's up, that are searched for a config.
const MOST_STEPS: usize = 128;

pub(crate) struct Project {
    pub(crate) config: PathBuf,
    pub(crate) tests: Vec<Test>,
}

/// The projects found so far.
pub(crate) struct AnankeProjects<'f> {
    files: &'f dyn Files,
    /// The config that the caller chose for all tests.
    chosen: Option<PathBuf>,
    /// The nearest config of each folder.
    nearest: HashMap<PathBuf, Option<PathBuf>>,
    /// In the order they were found.
    met: Vec<Project>,
    homeless: Vec<Test>,
}

impl<'f> AnankeProjects<'f> {
    pub(crate) fn new(files: &'f dyn Files, chosen: Option<&Path>) -> Self {
        let chosen = chosen.map(|config| join(config, ""));
        Self { files, chosen, nearest: HashMap::new(), met: Vec::new(), homeless: Vec::new() }
    }

    /// The config of the tests in a folder: the chosen one, else the nearest one above the folder, else the nearest one
    /// above the working folder.
    fn config(&mut self, folder: &Path) -> Option<PathBuf> {
        if let Some(chosen) = &self.chosen {
            return Some(chosen.clone());
        }
        self.above(join(folder, "")).or_else(|| self.above(PathBuf::from(".")))
    }

    fn above(&mut self, folder: PathBuf) -> Option<PathBuf> {
        let files = self.files;
        let is_file = |path: &PathBuf| files.kind(path) == Some(FileKind::File);
        let config = |folder: PathBuf| NAMES.iter().map(|name| join(&folder, name)).find(is_file);
        let nearest = self.nearest.entry(folder);
        let folder = nearest.key().clone();
        nearest.or_insert_with(|| upward(files, &folder, MOST_STEPS).find_map(config)).clone()
    }

    /// Whether to open a file that a search found: it has the name of a test, or it has a config.
    pub(crate) fn may_be_test(&mut self, path: &Path) -> bool {
        is_named_as_test(path) || self.config(&folder_of(path)).is_some()
    }

    /// Whether an opened file is a test. A file that cannot be parsed or has a mistyped key also counts if its name or
    /// content suggests a test and it has a config, so that no test is skipped silently.
    pub(crate) fn is_test(&mut self, test: &Test) -> bool {
        let marked = match &test.root {
            Ok(root) => is_test(root),
            Err(_) => reads_like_a_test(self.files, &test.path),
        };
        let mistyped = test.root.as_ref().is_ok_and(has_mistyped_turns);
        marked
            || ((mistyped || is_named_as_test(&test.path))
                && test.root.as_ref().map_or(true, is_meant_as_test)
                && self.config(&folder_of(&test.path)).is_some())
    }

    /// Adds a test to its config.
    pub(crate) fn add(&mut self, test: Test) {
        match self.config(&folder_of(&test.path)) {
            Some(config) => self.add_to(config, test),
            None => self.homeless.push(test),
        }
    }

    /// Adds a test to this config, unless the caller chose another one for all tests.
    pub(crate) fn add_to(&mut self, config: PathBuf, test: Test) {
        let config = self.chosen.clone().unwrap_or(config);
        match self.met.iter_mut().find(|project| project.config == config) {
            Some(project) => project.tests.push(test),
            None => self.met.push(Project { config, tests: vec![test] }),
        }
    }

    /// Whether a config that a search found has no tests, and the caller chose no other config.
    pub(crate) fn is_empty(&self, config: &Path) -> bool {
        self.chosen.is_none() && !self.met.iter().any(|project| project.config == config)
    }

    /// Returns the projects in the order they were found, and the tests that have no config.
    pub(crate) fn finish(&mut self) -> (Vec<Project>, Vec<Test>) {
        (std::mem::take(&mut self.met), std::mem::take(&mut self.homeless))
    }
}
