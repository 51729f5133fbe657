//! The state of a search: what is looked at, what was opened, and the plan that comes of it.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use agentci_plan::Suite;
use agentci_source::{Diagnostic, FileError, Files, Span, UnusableEntry};

use super::bounds::Bounds;
use super::look::{DEPTH_LIMIT, FOLDER_LIMIT, FolderContent, could_hold, look};
use crate::attach::attach_scripts;
use crate::document::{Loading, OpenedFile};
use crate::finder::what_is_a_suite;
use crate::{LoadOptions, Loaded};

/// How to say that nothing is lost by what cannot be looked at.
const EXCLUDE_IT: &str = "if it holds no suite, add it to `exclude:` in `agentci.yaml` or pass it as `--exclude`";

/// How many files or folders a message names.
pub(crate) const NAMED_IN_MESSAGE: usize = 3;

/// A search for suites, which all finders share.
pub(crate) struct SuiteSearch<'f> {
    pub(crate) files: &'f dyn Files,
    pub(crate) options: &'f LoadOptions,
    pub(crate) loaded: Loaded,
    /// Files that were taken.
    pub(crate) opened: HashSet<PathBuf>,
    /// YAML files that belong to no suite, met in searches that found one.
    pub(crate) strays: Vec<PathBuf>,
    /// Whether a suite was found in the folder that is searched.
    pub(crate) found: bool,
    /// What is left out.
    bounds: Bounds<'f>,
    /// Folders of which it was said what cannot be looked at.
    looked_at: HashSet<PathBuf>,
    /// How many folders were searched.
    folders: usize,
    /// Whether it was said that not all of them were.
    stopped: bool,
}

impl<'f> SuiteSearch<'f> {
    pub(crate) fn new(files: &'f dyn Files, options: &'f LoadOptions) -> Self {
        let mut loaded = Loaded::default();
        let bounds = Bounds::new(files, &options.exclude, &mut loaded.loading(files));
        Self {
            files,
            options,
            loaded,
            opened: HashSet::new(),
            strays: Vec::new(),
            found: false,
            bounds,
            looked_at: HashSet::new(),
            folders: 0,
            stopped: false,
        }
    }

    /// What a reading of files needs.
    pub(crate) fn loading(&mut self) -> Loading<'_> {
        self.loaded.loading(self.files)
    }

    /// Begins a search in a folder that was named.
    pub(crate) fn start(&mut self, folder: &Path) {
        self.bounds.start(folder, &mut self.loaded.loading(self.files));
    }

    /// Whether a search may go into one more folder; says so when it may not.
    pub(crate) fn goes_on(&mut self, folder: &Path, depth: usize) -> bool {
        self.folders += 1;
        if depth <= DEPTH_LIMIT && self.folders <= FOLDER_LIMIT {
            return true;
        }
        if !std::mem::replace(&mut self.stopped, true) {
            let message = format!("the search stops at `{}`", folder.display());
            let help = format!(
                "at most {DEPTH_LIMIT} levels and {FOLDER_LIMIT} folders are searched; name the suite's folder"
            );
            let span = self.whole(folder);
            self.report(Diagnostic::warning(span, message).help(help));
        }
        false
    }

    /// Looks into a folder. What may hide a suite and cannot be looked at is an error, reported once.
    pub(crate) fn look(&mut self, folder: &Path) -> FolderContent {
        self.bounds.enter(folder, &mut self.loaded.loading(self.files));
        let first_time = self.looked_at.insert(folder.to_path_buf());
        let entries = match self.files.list(folder) {
            Ok(entries) => entries,
            // It was there when its parent was listed.
            Err(FileError::Missing) => Vec::new(),
            Err(error) => {
                if first_time {
                    let message = format!("cannot list the folder `{}`: {error}", folder.display());
                    self.error(folder, message, &format!("make it readable; {EXCLUDE_IT}"));
                }
                Vec::new()
            }
        };
        let bounds = &self.bounds;
        let found = look(self.files, folder, entries, |name, is_folder| bounds.leave_out(folder, name, is_folder));
        for (path, why) in found.hidden.iter().filter(|_| first_time) {
            self.report_hidden(path, *why);
        }
        found
    }

    /// Opens a YAML file, whether it can be parsed or not.
    pub(crate) fn open(&mut self, path: &Path) -> OpenedFile {
        OpenedFile { path: path.to_path_buf(), root: self.loading().open(path) }
    }

    /// Takes a suite into the plan, unless its run folder would be another's.
    pub(crate) fn add(&mut self, suite: Suite) {
        let Loaded { plan, diagnostics } = &mut self.loaded;
        let Some(first) = plan.suites.iter().find(|first| first.name == suite.name) else {
            plan.suites.push(suite);
            return;
        };
        let message = format!("two suites are called `{}`", suite.name.escape_debug());
        let help = "rename one of them, since their runs would be kept in the same folder";
        diagnostics.error(suite.span, message, format!("the first is `{}`", first.path.display())).help(help);
    }

    /// The same for a suite whose scripted models and MCP servers are in files of their own.
    pub(crate) fn add_with_models(&mut self, mut suite: Suite) {
        attach_scripts(&mut self.loading(), &mut suite);
        self.add(suite);
    }

    /// Reports a problem.
    pub(crate) fn report(&mut self, problem: Diagnostic) {
        self.loaded.diagnostics.push(problem);
    }

    /// Reports what is wrong with a path itself.
    pub(crate) fn error(&mut self, path: &Path, message: String, help: &str) {
        let span = self.whole(path);
        self.report(Diagnostic::error(span, message).help(help));
    }

    /// A place for a problem with a path itself.
    pub(crate) fn whole(&mut self, path: &Path) -> Span {
        Span::whole(self.loaded.plan.sources.add(path, ""))
    }

    /// Says that a folder holds no suite, and what was not searched since git ignores it.
    pub(crate) fn report_nothing_found(&mut self, path: &Path, written: &Path) {
        let mut skipped = self.bounds.skipped();
        skipped.retain(|(path, is_folder)| could_hold(path, *is_folder));
        skipped.sort();
        skipped.dedup();
        let mut message = format!("no suite found in `{}`", written.display());
        let mut help = format!("{}; `agentci init` writes a first one", what_is_a_suite());
        if let Some((first, _)) = skipped.first() {
            let named: Vec<_> =
                skipped.iter().take(NAMED_IN_MESSAGE).map(|(path, _)| format!("`{}`", path.display())).collect();
            let more = skipped.len() - named.len();
            let more = if more == 0 { String::new() } else { format!(" and {more} more") };
            let them = if skipped.len() == 1 { "it" } else { "them" };
            message = format!("{message}; skipped because git ignores {them}: {}{more}", named.join(", "));
            help = format!(
                "name what is to be searched all the same, such as `{}`, or add it to git; {help}",
                first.display()
            );
        }
        self.error(path, message, &help);
    }

    /// What came of it all.
    pub(crate) fn finish(mut self) -> Loaded {
        self.bounds.report(&mut self.loaded.diagnostics);
        self.loaded.diagnostics.sort();
        self.loaded
    }

    fn report_hidden(&mut self, path: &Path, why: UnusableEntry) {
        let shown = path.display();
        let (message, remedy) = match (why, self.files.link(path)) {
            (UnusableEntry::FolderName, _) => {
                (format!("the name of the folder `{shown}` is not UTF-8, so it is not searched"), "rename it")
            }
            (UnusableEntry::FileName, _) => {
                (format!("the name of the file `{shown}` is not UTF-8, so it is not read"), "rename it")
            }
            (UnusableEntry::Unreachable, Some(target)) => (
                format!("`{shown}` is a link to `{}`, which does not exist", target.display()),
                "fix or remove the link",
            ),
            (UnusableEntry::Unreachable, None) => (format!("`{shown}` cannot be accessed"), "make it readable"),
        };
        let span = self.whole(path);
        self.report(Diagnostic::error(span, message).help(format!("{remedy}; {EXCLUDE_IT}")));
    }
}
