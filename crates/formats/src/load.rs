//! From the paths a user names to a plan.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use agentci_plan::{Diagnostic, Diagnostics, Dialect, Files, Kind, MockScript, Node, Plan, Span, Suite, join};

use crate::detect::{WHAT_IS_A_SUITE, dialect, expected, fits, is_settings};
use crate::document;
use crate::search::{DEPTH_LIMIT, FOLDER_LIMIT, look};
use crate::{aumai, model_script, native, runledger};

/// What came of loading.
#[derive(Debug, Default)]
pub struct Loaded {
    /// The suites that can be run, and the text of every file that was read, refused suites' included.
    pub plan: Plan,
    /// Every problem, by file and line.
    pub diagnostics: Diagnostics,
}

/// Where the scripted model comes from that answers the tests of the `aumai` dialect.
#[derive(Debug, Clone, Default)]
pub enum MockSource {
    /// From `mock_config.yaml` in the folder of the tests; without one, a model that always says the same.
    #[default]
    Beside,
    /// From this file.
    File(PathBuf),
    /// From the caller.
    Script(Arc<MockScript>),
}

/// Loads the suites in the given files and folders.
///
/// A file is read whatever its name. A folder that holds a suite is that suite; in any other folder the folders below it are
/// searched. A folder in which no suite file is found, but tests of the `aumai` dialect are, is one suite of all of them. What is
/// wrong with one suite does not keep the others out of the plan.
pub fn load(files: &dyn Files, paths: &[PathBuf]) -> Loaded {
    load_with(files, paths, &MockSource::Beside)
}

/// The same, with a scripted model of the caller's choice.
pub fn load_with(files: &dyn Files, paths: &[PathBuf], mock: &MockSource) -> Loaded {
    let mut loader = Loader {
        files,
        mock,
        loaded: Loaded::default(),
        opened: HashSet::new(),
        strays: Vec::new(),
        folders: 0,
        stopped: false,
    };
    for path in paths {
        loader.path(path);
    }
    loader.report_strays();
    loader.loaded.diagnostics.sort();
    loader.loaded
}

struct Loader<'f> {
    files: &'f dyn Files,
    mock: &'f MockSource,
    loaded: Loaded,
    opened: HashSet<PathBuf>,
    /// YAML files that belong to no suite, met in searches that found one.
    strays: Vec<PathBuf>,
    /// How many folders were searched.
    folders: usize,
    /// Whether it was said that not all of them were.
    stopped: bool,
}

impl Loader<'_> {
    fn path(&mut self, written: &Path) {
        let path = join(written, "");
        match self.files.kind(&path) {
            Some(Kind::File) => self.named_file(&path),
            Some(Kind::Folder) => {
                let mut strays = Vec::new();
                if self.folder(&path, 0, &mut strays) || self.tests(&path, &mut strays) {
                    self.strays.append(&mut strays);
                } else {
                    self.error(&path, format!("no suite found in `{}`", written.display()), WHAT_IS_A_SUITE);
                }
            }
            None => self.error(
                &path,
                format!("there is no file or folder `{}`", written.display()),
                "name a suite's file or a folder that holds suites",
            ),
        }
    }

    fn named_file(&mut self, path: &Path) {
        if !self.opened.insert(path.to_path_buf()) {
            return;
        }
        let Some(root) = self.open(path) else { return };
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if let Some(dialect) = dialect(name, &root) {
            self.lower(path, dialect, &root);
            return;
        }
        let diagnostic = if expected(name) == Some(Dialect::Native) && is_settings(&root) {
            Diagnostic::error(root.span, format!("`{}` is no suite: `cases:` is missing", path.display()))
                .help("add `suite:` and `cases:`, or name a folder to search")
        } else {
            Diagnostic::error(root.span, format!("`{}` fits no known suite format", path.display()))
                .help(WHAT_IS_A_SUITE)
        };
        self.loaded.diagnostics.push(diagnostic);
    }

    /// Makes one suite of the tests among these files; whether there are any, good or wrong.
    fn tests(&mut self, folder: &Path, paths: &mut Vec<PathBuf>) -> bool {
        let mut found = std::mem::take(paths);
        found.sort();
        let mut opened = Vec::with_capacity(found.len());
        let mut unreadable = Diagnostics::default();
        for path in found {
            match document::open(self.files, &mut self.loaded.plan.sources, &path) {
                Ok(root) => opened.push((path, root)),
                Err(problem) => unreadable.push(problem),
            }
        }
        if !opened.iter().any(|(_, root)| fits(root, Dialect::Aumai)) {
            return false;
        }
        let refused = unreadable.has_errors();
        self.loaded.diagnostics.append(unreadable);
        let again = !self.opened.insert(folder.to_path_buf());
        let name = self.files.name(folder).unwrap_or_else(|| "tests".into());
        let documents = aumai::Documents { name, path: folder, folder, files: opened, mock: self.mock };
        let Loaded { plan, diagnostics } = &mut self.loaded;
        let (suite, strays) = aumai::lower(self.files, &mut plan.sources, documents, diagnostics);
        *paths = strays;
        if let Some(suite) = suite.filter(|_| !refused && !again) {
            self.add(suite);
        }
        true
    }

    /// Searches a folder; whether a suite, good or wrong, was found in it.
    fn folder(&mut self, folder: &Path, depth: usize, strays: &mut Vec<PathBuf>) -> bool {
        self.folders += 1;
        if depth > DEPTH_LIMIT || self.folders > FOLDER_LIMIT {
            if !std::mem::replace(&mut self.stopped, true) {
                let message = format!("the search stops at `{}`", folder.display());
                let help = format!(
                    "at most {DEPTH_LIMIT} levels and {FOLDER_LIMIT} folders are searched; name the suite's folder"
                );
                let span = self.whole(folder);
                self.loaded.diagnostics.push(Diagnostic::warning(span, message).help(help));
            }
            return false;
        }
        let look = look(self.files, folder);
        let mut claimed = false;
        for (path, expected) in look.candidates {
            claimed |= self.candidate(&path, expected, strays);
        }
        if claimed {
            return true;
        }
        strays.extend(look.others);
        let mut found = false;
        for folder in look.folders {
            found |= self.folder(&folder, depth + 1, strays);
        }
        found
    }

    /// Opens a file whose name says it may be a suite; whether it is one, good or wrong.
    fn candidate(&mut self, path: &Path, expected: Dialect, strays: &mut Vec<PathBuf>) -> bool {
        if !self.opened.insert(path.to_path_buf()) {
            return true;
        }
        let Some(root) = self.open(path) else { return true };
        if fits(&root, expected) {
            self.lower(path, expected, &root);
            return true;
        }
        if fits(&root, Dialect::Aumai) {
            strays.push(path.to_path_buf());
        } else if !(expected == Dialect::Native && is_settings(&root)) {
            self.loaded.diagnostics.push(
                Diagnostic::warning(root.span, format!("`{}` fits no known suite format", path.display()))
                    .help(WHAT_IS_A_SUITE),
            );
        }
        // It may yet be named directly, and then it matters that it is no suite.
        self.opened.remove(path);
        false
    }

    fn open(&mut self, path: &Path) -> Option<Node> {
        document::open(self.files, &mut self.loaded.plan.sources, path)
            .map_err(|problem| self.loaded.diagnostics.push(problem))
            .ok()
    }

    fn lower(&mut self, path: &Path, dialect: Dialect, root: &Node) {
        let Loaded { plan, diagnostics } = &mut self.loaded;
        let suite = match dialect {
            Dialect::Runledger => runledger::lower(self.files, &mut plan.sources, path, root, diagnostics),
            Dialect::Aumai => {
                let name = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or("tests").to_owned();
                let folder = path.parent().unwrap_or(Path::new(""));
                let files = vec![(path.to_path_buf(), root.clone())];
                let documents = aumai::Documents { name, path, folder, files, mock: self.mock };
                aumai::lower(self.files, &mut plan.sources, documents, diagnostics).0
            }
            _ => native::lower(self.files, &plan.sources, path, root, diagnostics),
        };
        if let Some(mut suite) = suite {
            model_script::attach(self.files, &mut plan.sources, &mut suite, diagnostics);
            self.add(suite);
        }
    }

    /// Takes a suite into the plan, unless its run folder would be another's.
    fn add(&mut self, suite: Suite) {
        let Loaded { plan, diagnostics } = &mut self.loaded;
        let Some(first) = plan.suites.iter().find(|first| first.name == suite.name) else {
            plan.suites.push(suite);
            return;
        };
        diagnostics.push(
            Diagnostic::error(suite.span, format!("two suites are called `{}`", suite.name.escape_debug()))
                .label(format!("the first is `{}`", first.path.display()))
                .help("rename one of them, since their runs would be kept in the same folder"),
        );
    }

    /// One warning for all the files that look as if they should matter and do not.
    fn report_strays(&mut self) {
        let strays = std::mem::take(&mut self.strays);
        let Some(first) = strays.first() else { return };
        let mut named: Vec<String> = strays.iter().take(3).map(|path| format!("`{}`", path.display())).collect();
        if strays.len() > named.len() {
            named.push("...".into());
        }
        let message = match strays.len() {
            1 => format!("1 YAML file belongs to no suite: {}", named.join(", ")),
            count => format!("{count} YAML files belong to no suite: {}", named.join(", ")),
        };
        let span = self.whole(first);
        self.loaded.diagnostics.push(Diagnostic::warning(span, message).help(WHAT_IS_A_SUITE));
    }

    fn error(&mut self, path: &Path, message: String, help: &str) {
        let span = self.whole(path);
        self.loaded.diagnostics.push(Diagnostic::error(span, message).help(help));
    }

    /// A place for a problem with a path itself.
    fn whole(&mut self, path: &Path) -> Span {
        Span::whole(self.loaded.plan.sources.add(path, ""))
    }
}

#[cfg(test)]
mod tests {
    use agentci_plan::{MemoryFiles, Severity};

    use super::*;

    const NATIVE: &str = "suite: NAME\ntarget: { process: { command: [a] } }\ncases: [{ id: x, input: {} }]\n";
    const RUNLEDGER: &str =
        "suite_name: NAME\nagent_command: [a]\nmode: replay\ncases_path: cases\ntool_registry: []\n";
    const CASE: &str = "id: one\ninput: {}\ncassette: c.jsonl\n";

    fn native(name: &str) -> String {
        NATIVE.replace("NAME", name)
    }

    fn load_paths(files: &MemoryFiles, paths: &[&str]) -> Loaded {
        load(files, &paths.iter().map(PathBuf::from).collect::<Vec<_>>())
    }

    fn names(loaded: &Loaded) -> Vec<&str> {
        loaded.plan.suites.iter().map(|suite| suite.name.as_str()).collect()
    }

    fn messages(loaded: &Loaded) -> Vec<&str> {
        loaded.diagnostics.iter().map(|problem| problem.message.as_str()).collect()
    }

    #[test]
    fn searches_in_name_order_and_stops_at_suites() {
        let files = MemoryFiles::default()
            .with("p/b/agentci.yaml", native("b"))
            .with("p/b/inner/agentci.yaml", native("inner"))
            .with("p/b/suite.yaml", RUNLEDGER.replace("NAME", "b-old"))
            .with("p/b/cases/1.yaml", CASE)
            .with("p/a/deep/agentci.yml", native("a"))
            .with("p/.hidden/agentci.yaml", native("hidden"))
            .with("p/target/agentci.yaml", native("target"))
            .with("p/node_modules/agentci.yaml", native("node"));
        let loaded = load_paths(&files, &["p"]);
        assert_eq!(names(&loaded), ["a", "b", "b-old"]);
        assert_eq!(messages(&loaded), Vec::<&str>::new());
        assert_eq!(loaded.plan.suites[2].folder, Path::new("p/b"));
    }

    #[test]
    fn settings_are_no_suite_unless_named() {
        let files =
            MemoryFiles::default().with("p/agentci.yaml", "targets: {}\n").with("p/s/agentci.yaml", native("s"));
        let loaded = load_paths(&files, &["p"]);
        assert_eq!((names(&loaded), messages(&loaded)), (vec!["s"], vec![]));
        let named = load_paths(&files, &["p/agentci.yaml"]);
        assert_eq!(messages(&named), ["`p/agentci.yaml` is no suite: `cases:` is missing"]);
        assert!(named.diagnostics.has_errors());
    }

    #[test]
    fn a_named_file_is_known_by_its_content() {
        let files = MemoryFiles::default()
            .with("s/any.txt", native("any"))
            .with("s/old", RUNLEDGER.replace("NAME", "old"))
            .with("s/cases/1.yaml", CASE)
            .with("s/other.yaml", "hello: 1\n");
        let loaded = load_paths(&files, &["s/any.txt", "./s/any.txt", "s/old", "s/other.yaml", "s/none.yaml"]);
        assert_eq!(names(&loaded), ["any", "old"]);
        assert_eq!(
            messages(&loaded),
            ["`s/other.yaml` fits no known suite format", "there is no file or folder `s/none.yaml`"]
        );
    }

    #[test]
    fn stray_files_are_one_warning_beside_a_suite_and_an_error_without() {
        let mut files = MemoryFiles::default();
        for name in ["a", "b", "c", "d"] {
            files = files.with(format!("p/x/{name}.yaml"), "k: 1\n");
        }
        let alone = load_paths(&files, &["p"]);
        assert_eq!(messages(&alone), ["no suite found in `p`"]);
        let beside = load_paths(&files.with("p/y/agentci.yaml", native("y")), &["p"]);
        assert_eq!(
            messages(&beside),
            ["4 YAML files belong to no suite: `p/x/a.yaml`, `p/x/b.yaml`, `p/x/c.yaml`, ..."]
        );
        assert_eq!(beside.diagnostics.count(Severity::Warning), 1);
    }

    #[test]
    fn a_suite_file_that_fits_nothing_is_a_warning() {
        let files = MemoryFiles::default().with("p/a/suite.yaml", "hello: 1\n").with("p/b/agentci.yaml", native("b"));
        let loaded = load_paths(&files, &["p"]);
        assert_eq!(messages(&loaded), ["`p/a/suite.yaml` fits no known suite format"]);
        assert!(!loaded.diagnostics.has_errors());
    }

    #[test]
    fn a_syntax_error_refuses_one_suite_and_keeps_its_text() {
        let files = MemoryFiles::default()
            .with("p/a/agentci.yaml", "suite: a\ncases: [\n")
            .with("p/b/agentci.yaml", native("b"));
        let loaded = load_paths(&files, &["p"]);
        assert_eq!((names(&loaded), messages(&loaded)), (vec!["b"], vec!["`[` is never closed"]));
        let place = loaded.diagnostics.iter().next().unwrap().place(&loaded.plan.sources);
        assert_eq!((place.line, place.text.as_str()), (2, "cases: ["));
    }

    #[test]
    fn two_suites_of_one_name_are_an_error() {
        let files =
            MemoryFiles::default().with("p/a/agentci.yaml", native("same")).with("p/b/agentci.yaml", native("same"));
        let loaded = load_paths(&files, &["p"]);
        assert_eq!((names(&loaded), messages(&loaded)), (vec!["same"], vec!["two suites are called `same`"]));
    }

    #[test]
    fn the_search_has_a_depth_limit() {
        let deep = format!("p/{}agentci.yaml", "d/".repeat(40));
        let loaded = load_paths(&MemoryFiles::default().with(deep, native("deep")), &["p"]);
        assert_eq!(loaded.diagnostics.count(Severity::Warning), 1);
        assert!(messages(&loaded).contains(&"no suite found in `p`"));
    }
}
