//! Finds the suites in the paths that a user names and hands each file to its finder.

use std::path::{Path, PathBuf};

use agentci_plan::Dialect;
use agentci_source::{Diagnostic, FileKind, Files, join};

use crate::finder::{
    ChosenSuites, FRONT_ENDS, Finder, SuiteCandidate, config_named, is_one_of_many, recognise, suite_named,
    what_is_a_suite,
};
use crate::search::{NAMED_IN_MESSAGE, SuiteSearch};
use crate::{LoadOptions, Loaded, mcp_script};

/// Finds suites and collects them in a plan.
pub(crate) struct Loader<'f> {
    search: SuiteSearch<'f>,
    /// In the order of [`FRONT_ENDS`].
    finders: Vec<(Dialect, Box<dyn Finder + 'f>)>,
}

/// Files found by a search that are not a suite by themselves.
#[derive(Default)]
struct FoundFiles {
    /// YAML files that belong to no suite.
    strays: Vec<PathBuf>,
    /// Configs whose tests are in other files.
    configs: Vec<PathBuf>,
}

impl<'f> Loader<'f> {
    pub(crate) fn new(files: &'f dyn Files, options: &'f LoadOptions) -> Self {
        let finders = FRONT_ENDS.iter().map(|front| (front.dialect, (front.finder)(files, options))).collect();
        Self { search: SuiteSearch::new(files, options), finders }
    }

    /// Loads what the options select; `alone` is set if the user named no path.
    pub(crate) fn chosen(&mut self, alone: bool) {
        for index in 0..self.finders.len() {
            match self.finders[index].1.choose(alone, &mut self.search) {
                ChosenSuites::Nothing => {}
                ChosenSuites::Taken => return,
                ChosenSuites::Folder(folder) => return self.path(&folder),
            }
        }
    }

    /// Loads a path that the user named.
    pub(crate) fn path(&mut self, written: &Path) {
        let path = join(written, "");
        match self.search.files.kind(&path) {
            Some(FileKind::File) => self.named_file(&path),
            Some(FileKind::Folder) => self.named_folder(&path, written),
            Some(FileKind::Unusable(_)) | None => self.search.error(
                &path,
                format!("file or folder `{}` does not exist", written.display()),
                "pass the file of a suite or a folder that contains suites",
            ),
        }
    }

    /// Returns the result. Tests that share a config or an agent may have been named one by one, so their suites are
    /// created last.
    pub(crate) fn finish(mut self) -> Loaded {
        for (_, finder) in &mut self.finders {
            finder.finish(&mut self.search);
        }
        self.report_strays();
        self.search.finish()
    }

    fn finder(&mut self, dialect: Dialect) -> (&mut dyn Finder, &mut SuiteSearch<'f>) {
        let found = self.finders.iter_mut().find(|(of, _)| *of == dialect);
        let (_, finder) = found.expect("every dialect has a finder");
        (&mut **finder, &mut self.search)
    }

    fn named_file(&mut self, path: &Path) {
        if !self.search.opened.insert(path.to_path_buf()) {
            return;
        }
        if self.finders.iter_mut().any(|(_, finder)| finder.take_named(path, &mut self.search)) {
            return;
        }
        let file = self.search.open_suite(path);
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let known = file.root.as_ref().ok().and_then(|root| recognise(name, root)).map(|front| front.dialect);
        let mut finders = self.finders.iter_mut();
        let meant = || finders.find_map(|(of, finder)| finder.is_meant(&file).then_some(*of));
        if let Some(dialect) = known.or_else(meant) {
            let (finder, search) = self.finder(dialect);
            return finder.take(file, search);
        }
        let problem = match &file.root {
            Err(problem) => problem.clone(),
            Ok(root) => {
                let named = suite_named(name).and_then(|front| self.finder(front.dialect).0.refusal(path, root));
                named.unwrap_or_else(|| {
                    Diagnostic::error(root.span, format!("`{}` does not match any known suite format", path.display()))
                        .help(what_is_a_suite())
                })
            }
        };
        self.search.report(problem);
    }

    fn named_folder(&mut self, path: &Path, written: &Path) {
        let mut files = FoundFiles::default();
        self.search.start(path);
        self.search.found = self.folder(path, 0, &mut files);
        for (_, finder) in &mut self.finders {
            let found = finder.take_found(&mut files.strays, &mut self.search);
            self.search.found |= found;
        }
        if !self.search.found {
            self.take_opened(path, &mut files.strays);
        }
        let mut reported = false;
        for (_, finder) in &mut self.finders {
            reported |= finder.report_left(&files.configs, &mut files.strays, &mut self.search);
        }
        if self.search.found {
            self.search.strays.append(&mut files.strays);
        } else if !reported {
            self.search.report_nothing_found(path, written);
        }
    }

    /// Opens every file that belongs to no suite, for finders that recognise their files by content.
    fn take_opened(&mut self, folder: &Path, strays: &mut Vec<PathBuf>) {
        let mut paths = strays.clone();
        paths.sort();
        let mut files = paths.iter().map(|path| self.search.open(path)).collect();
        for (_, finder) in &mut self.finders {
            if let Some(left) = finder.take_opened(folder, &mut files, &mut self.search) {
                self.search.found = true;
                *strays = left;
            }
        }
    }

    /// Searches a folder; returns whether it contains a file that is a suite by itself, valid or not.
    fn folder(&mut self, folder: &Path, depth: usize, files: &mut FoundFiles) -> bool {
        if !self.search.goes_on(folder, depth) {
            return false;
        }
        let look = self.search.look(folder);
        let mut claimed = false;
        for (path, dialect) in look.candidates {
            claimed |= self.candidate(&path, dialect, files);
        }
        if claimed && look.config.is_none() {
            return true;
        }
        let config = look.config.as_deref().and_then(Path::file_name).and_then(|name| config_named(name.to_str()?));
        let mut below = FoundFiles { strays: look.others, configs: look.config.into_iter().collect() };
        let mut found = claimed;
        for (_, finder) in self.finders.iter_mut().filter(|_| !claimed) {
            found |= finder.take_lines(folder, &look.lines, &mut self.search);
        }
        for folder in look.folders {
            found |= self.folder(&folder, depth + 1, &mut below);
        }
        if claimed {
            // Two suites share this folder; files that are not tests of the config belong to the other suite.
            if let Some(front) = config {
                let (finder, search) = self.finder(front.dialect);
                finder.take_found(&mut below.strays, search);
            }
            below.strays.clear();
        }
        files.strays.append(&mut below.strays);
        files.configs.append(&mut below.configs);
        found
    }

    /// Opens a file with the name of a suite; returns whether it is a suite, valid or not.
    fn candidate(&mut self, path: &Path, dialect: Dialect, files: &mut FoundFiles) -> bool {
        if !self.search.opened.insert(path.to_path_buf()) {
            return true;
        }
        let file = match dialect {
            Dialect::Native => self.search.open_suite(path),
            Dialect::Runledger | Dialect::Ananke | Dialect::Aumai | Dialect::Scenario | Dialect::Yao => {
                self.search.open(path)
            }
        };
        let root = match &file.root {
            Ok(root) => root,
            Err(problem) => {
                self.search.report(problem.clone());
                return true;
            }
        };
        let (finder, search) = self.finder(dialect);
        match finder.candidate(path, root, search) {
            SuiteCandidate::Suite => {
                finder.take(file, search);
                return true;
            }
            SuiteCandidate::Empty(problem) => {
                if let Some(problem) = problem {
                    search.report(problem);
                }
                // Suites in subfolders are still loaded, but they do not replace this one.
                return false;
            }
            SuiteCandidate::Settings | SuiteCandidate::Other if is_one_of_many(root) => {
                files.strays.push(path.to_path_buf());
            }
            SuiteCandidate::Settings => {}
            SuiteCandidate::Other => search.report(
                Diagnostic::warning(root.span, format!("`{}` does not match any known suite format", path.display()))
                    .help(what_is_a_suite()),
            ),
        }
        // If the user also names the file, it must be reported that it is not a suite.
        search.opened.remove(path);
        false
    }

    /// Reports all files that look like tests but belong to no suite, in one warning.
    fn report_strays(&mut self) {
        let mut strays = std::mem::take(&mut self.search.strays);
        strays.retain(|path| {
            !self.finders.iter().any(|(_, finder)| finder.knows(path)) && !mcp_script::is_named_so(path)
        });
        let Some(first) = strays.first() else { return };
        let mut named: Vec<String> =
            strays.iter().take(NAMED_IN_MESSAGE).map(|path| format!("`{}`", path.display())).collect();
        if strays.len() > named.len() {
            named.push("...".into());
        }
        let message = match strays.len() {
            1 => format!("1 YAML file belongs to no suite: {}", named.join(", ")),
            count => format!("{count} YAML files belong to no suite: {}", named.join(", ")),
        };
        let span = self.search.whole(first);
        self.search.report(Diagnostic::warning(span, message).help(what_is_a_suite()));
    }
}
