//! The state of a search: the folders searched, the files opened, and the resulting plan.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use agentci_plan::Suite;
use agentci_source::{Diagnostic, FileError, Files, Span, UnusableEntry};
use agentci_text::and_more;

use super::bounds::Bounds;
use super::look::{DEPTH_LIMIT, FOLDER_LIMIT, FolderContent, could_hold, look};
use crate::attach::attach_scripts;
use crate::document::{Loading, OpenedFile};
use crate::finder::what_is_a_suite;
use crate::{LoadOptions, Loaded};

/// The help for an entry that cannot be read.
const EXCLUDE_IT: &str = "if it contains no suite, add it to `exclude:` in `agentci.yaml` or pass it to `--exclude`";

/// The maximum number of files or folders in a message.
pub(crate) const NAMED_IN_MESSAGE: usize = 3;

/// A search for suites, shared by all finders.
pub(crate) struct SuiteSearch<'f> {
    pub(crate) files: &'f dyn Files,
    pub(crate) options: &'f LoadOptions,
    pub(crate) loaded: Loaded,
    /// Files that a finder took.
    pub(crate) opened: HashSet<PathBuf>,
    /// YAML files that belong to no suite, from searches that found a suite.
    pub(crate) strays: Vec<PathBuf>,
    /// Whether a suite was found in the folder being searched.
    pub(crate) found: bool,
    bounds: Bounds<'f>,
    /// Folders whose unreadable entries were reported.
    looked_at: HashSet<PathBuf>,
    /// The number of folders searched.
    folders: usize,
    /// Whether the limit of the search was reported.
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

    pub(crate) fn loading(&mut self) -> Loading<'_> {
        self.loaded.loading(self.files)
    }

    /// Starts a search in a named folder.
    pub(crate) fn start(&mut self, folder: &Path) {
        self.bounds.start(folder, &mut self.loaded.loading(self.files));
    }

    /// Whether the search may enter one more folder; reports it once if not.
    pub(crate) fn goes_on(&mut self, folder: &Path, depth: usize) -> bool {
        self.folders += 1;
        if depth <= DEPTH_LIMIT && self.folders <= FOLDER_LIMIT {
            return true;
        }
        if !std::mem::replace(&mut self.stopped, true) {
            let message = format!("the search stops at `{}`", folder.display());
            let help = format!(
                "at most {DEPTH_LIMIT} levels and {FOLDER_LIMIT} folders are searched; pass the folder of the suite"
            );
            let span = self.whole(folder);
            self.report(Diagnostic::warning(span, message).help(help));
        }
        false
    }

    /// Lists a folder. Entries that may hide a suite and cannot be read are errors, each reported once.
    pub(crate) fn look(&mut self, folder: &Path) -> FolderContent {
        self.bounds.enter(folder, &mut self.loaded.loading(self.files));
        let first_time = self.looked_at.insert(folder.to_path_buf());
        let entries = match self.files.list(folder) {
            Ok(entries) => entries,
            // The folder was deleted after its parent was listed.
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

    /// Opens a YAML file, even if it cannot be parsed.
    pub(crate) fn open(&mut self, path: &Path) -> OpenedFile {
        OpenedFile { path: path.to_path_buf(), root: self.loading().open(path) }
    }

    /// Opens a file that is named on the command line or has the name of a suite.
    pub(crate) fn open_suite(&mut self, path: &Path) -> OpenedFile {
        OpenedFile { path: path.to_path_buf(), root: self.loading().open_suite(path) }
    }

    /// Adds a suite to the plan, unless another suite has the same name and so the same run folder.
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

    /// The same for a suite with scripts of models and MCP servers in separate files.
    pub(crate) fn add_with_models(&mut self, mut suite: Suite) {
        attach_scripts(&mut self.loading(), &mut suite);
        self.add(suite);
    }

    pub(crate) fn report(&mut self, problem: Diagnostic) {
        self.loaded.diagnostics.push(problem);
    }

    /// Reports an error about a path itself.
    pub(crate) fn error(&mut self, path: &Path, message: String, help: &str) {
        let span = self.whole(path);
        self.report(Diagnostic::error(span, message).help(help));
    }

    /// A span for problems with a path itself.
    pub(crate) fn whole(&mut self, path: &Path) -> Span {
        Span::whole(self.loaded.plan.sources.add(path, ""))
    }

    /// Reports that a folder contains no suite, and the entries that were skipped because git ignores them.
    pub(crate) fn report_nothing_found(&mut self, path: &Path, written: &Path) {
        let mut skipped = self.bounds.skipped();
        skipped.retain(|(path, is_folder)| could_hold(path, *is_folder));
        skipped.sort();
        skipped.dedup();
        let mut message = format!("no suite found in `{}`", written.display());
        let mut help = format!("{}; `agentci init` creates one", what_is_a_suite());
        if let Some((first, _)) = skipped.first() {
            let named: Vec<_> =
                skipped.iter().take(NAMED_IN_MESSAGE).map(|(path, _)| format!("`{}`", path.display())).collect();
            let more = and_more(skipped.len() - named.len());
            let them = if skipped.len() == 1 { "it" } else { "them" };
            message = format!("{message}; skipped because git ignores {them}: {}{more}", named.join(", "));
            help = format!(
                "to search ignored files anyway, pass their path, such as `{}`, or add them to git; {help}",
                first.display()
            );
        }
        self.error(path, message, &help);
    }

    /// Reports unused excludes and returns the result.
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
