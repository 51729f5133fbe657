//! Loads the suites in the paths that a user names into a plan.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use agentci_plan::{MockScript, Plan, UnansweredRoute};
use agentci_source::{Diagnostics, Files};

use crate::document::Loading;
use crate::loader::Loader;

/// The result of loading.
#[derive(Debug, Default)]
pub struct Loaded {
    /// The suites that can be run, and the text of every file that was read, including those of rejected suites.
    pub plan: Plan,
    /// All problems, by file and line.
    pub diagnostics: Diagnostics,
}

impl Loaded {
    pub(crate) fn loading<'s>(&'s mut self, files: &'s dyn Files) -> Loading<'s> {
        Loading { files, sources: &mut self.plan.sources, problems: &mut self.diagnostics }
    }
}

/// The caller's options for suites that do not set them.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct LoadOptions {
    /// Source of the scripted model that answers the tests of the `aumai` dialect.
    pub mock: MockSource,
    /// The config of all tests of the `ananke` dialect. Default: the `ananke.config.yaml` in the nearest parent folder.
    pub config: Option<PathBuf>,
    /// The agent to test: the folder below `tests` in the `scenario` dialect, an assistant's id in `yao`.
    pub agent: Option<String>,
    /// Files and folders to exclude from the search, relative to the working folder and written as in `.gitignore`.
    pub exclude: Vec<String>,
    /// Whether to ignore an empty `agentci.yaml`: the shell creates one in `agentci convert . > agentci.yaml`.
    pub empty_allowed: bool,
    /// Options for suites of the `scenario` dialect.
    pub scenario: ScenarioOptions,
    /// Options for suites of the `yao` dialect.
    pub yao: YaoOptions,
}

/// The caller's options for suites of the `scenario` dialect.
#[derive(Debug, Clone, Default)]
pub struct ScenarioOptions {
    /// The folder with one folder per agent. Default: `tests`.
    pub tests: Option<PathBuf>,
    /// The address of the agent. Default: from the project's settings.
    pub agent_url: Option<String>,
    /// What to do when no fixture matches a tool request. Default: from the project's settings.
    pub miss: Option<UnansweredRoute>,
}

/// The caller's options for suites of the `yao` dialect.
#[derive(Debug, Clone, Default)]
pub struct YaoOptions {
    /// A test file, or a message.
    pub input: Option<String>,
    /// The connector of the assistant under test. Default: the assistant's own.
    pub connector: Option<String>,
    /// The user that sends the messages.
    pub user: Option<String>,
    /// The team of the user.
    pub team: Option<String>,
    /// The folder of the application. Default: found from the assistant.
    pub app: Option<PathBuf>,
    /// A file of environment variables.
    pub env: Option<PathBuf>,
    /// The default timeout of a test.
    pub timeout: Option<Duration>,
    /// An assistant that writes the report.
    pub reporter: Option<String>,
    /// Looks up environment variables. Default: none are set.
    pub environment: Option<fn(&str) -> Option<String>>,
}

/// Source of the scripted model that answers the tests of the `aumai` dialect.
#[derive(Debug, Clone, Default)]
pub enum MockSource {
    /// `mock_config.yaml` in the folder of the tests; if it does not exist, a model that always gives the same answer.
    #[default]
    Beside,
    File(PathBuf),
    Script(Arc<MockScript>),
}

/// Loads the suites in the given files and folders.
///
/// A file may have any name. A folder that contains a suite file is that suite; otherwise its subfolders are searched.
/// The tests of the `ananke` dialect form one suite per config, and scenarios one suite per agent. If a folder contains
/// no suite but tests of the `aumai` dialect, these form one suite. A problem in one suite does not keep the others out
/// of the plan.
pub fn load(files: &dyn Files, paths: &[PathBuf]) -> Loaded {
    load_with(files, paths, &LoadOptions::default())
}

/// The same, with options. With an agent and without paths, only the tests of that assistant or the scenarios of that
/// agent are loaded, if a folder of them exists.
pub fn load_with(files: &dyn Files, paths: &[PathBuf], options: &LoadOptions) -> Loaded {
    let mut loader = Loader::new(files, options);
    loader.chosen(paths.is_empty());
    for path in paths {
        loader.path(path);
    }
    loader.finish()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use agentci_source::{FileError, FileKind, FolderEntry, MemoryFiles, Severity};

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
    fn settings_file_is_not_a_suite_unless_passed_explicitly() {
        let files =
            MemoryFiles::default().with("p/agentci.yaml", "targets: {}\n").with("p/s/agentci.yaml", native("s"));
        let loaded = load_paths(&files, &["p"]);
        assert_eq!((names(&loaded), messages(&loaded)), (vec!["s"], vec![]));
        let named = load_paths(&files, &["p/agentci.yaml"]);
        assert_eq!(messages(&named), ["`p/agentci.yaml` is not a suite: `cases:` is missing"]);
        assert!(named.diagnostics.has_errors());
    }

    #[test]
    fn format_of_named_file_is_detected_by_content() {
        let files = MemoryFiles::default()
            .with("s/any.txt", native("any"))
            .with("s/old", RUNLEDGER.replace("NAME", "old"))
            .with("s/cases/1.yaml", CASE)
            .with("s/other.yaml", "hello: 1\n");
        let loaded = load_paths(&files, &["s/any.txt", "./s/any.txt", "s/old", "s/other.yaml", "s/none.yaml"]);
        assert_eq!(names(&loaded), ["any", "old"]);
        assert_eq!(
            messages(&loaded),
            ["`s/other.yaml` does not match any known suite format", "file or folder `s/none.yaml` does not exist"]
        );
    }

    #[test]
    fn stray_files_warn_unless_no_suite_is_found() {
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
    fn suite_file_of_unknown_format_is_a_warning() {
        let files = MemoryFiles::default().with("p/a/suite.yaml", "hello: 1\n").with("p/b/agentci.yaml", native("b"));
        let loaded = load_paths(&files, &["p"]);
        assert_eq!(messages(&loaded), ["`p/a/suite.yaml` does not match any known suite format"]);
        assert!(!loaded.diagnostics.has_errors());
    }

    #[test]
    fn syntax_error_rejects_only_its_suite_with_source_text() {
        let files = MemoryFiles::default()
            .with("p/a/agentci.yaml", "suite: a\ncases: [\n")
            .with("p/b/agentci.yaml", native("b"));
        let loaded = load_paths(&files, &["p"]);
        assert_eq!((names(&loaded), messages(&loaded)), (vec!["b"], vec!["`[` is never closed"]));
        let place = loaded.diagnostics.iter().next().unwrap().place(&loaded.plan.sources);
        assert_eq!((place.line, place.text.as_str()), (2, "cases: ["));
    }

    #[test]
    fn reports_first_unreadable_files_if_no_suite_is_found() {
        let mut files = MemoryFiles::default().with("p/fine.yaml", "k: 1\n");
        for name in ["a", "b", "c", "d"] {
            files = files.with(format!("p/{name}.yaml"), "tests: [\n");
        }
        let broken = "`[` is never closed";
        assert_eq!(messages(&load_paths(&files, &["p"])), [broken, broken, broken, "no suite found in `p`"]);
    }

    #[test]
    fn duplicate_suite_names_are_an_error() {
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

    /// Every folder contains two more, as with circular links.
    struct Endless;

    impl Files for Endless {
        fn read(&self, _: &Path, _: u64) -> Result<Vec<u8>, FileError> {
            Err(FileError::Missing)
        }

        fn list(&self, _: &Path) -> Result<Vec<FolderEntry>, FileError> {
            Ok(["a", "b"].map(|name| FolderEntry { name: name.into(), kind: FileKind::Folder }).into())
        }

        fn kind(&self, _: &Path) -> Option<FileKind> {
            Some(FileKind::Folder)
        }
    }

    #[test]
    fn search_of_an_endless_tree_is_limited() {
        let loaded = load(&Endless, &["p".into()]);
        let told = |problem: &agentci_source::Diagnostic| format!("{problem:?}").contains("20000 folders are searched");
        assert!(loaded.diagnostics.iter().any(told), "{:?}", messages(&loaded));
    }

    #[test]
    fn empty_suite_file_is_an_error_and_others_load() {
        for empty in ["", "# later\n", "---\n", "{}\n"] {
            let files = MemoryFiles::default().with("p/a/agentci.yaml", empty).with("p/b/agentci.yaml", native("b"));
            let loaded = load_paths(&files, &["p"]);
            assert_eq!((names(&loaded), messages(&loaded)), (vec!["b"], vec!["`p/a/agentci.yaml` is empty"]));
            assert!(loaded.diagnostics.has_errors());
        }
    }

    #[test]
    fn suite_file_is_recognized_by_keys_or_cases_folder() {
        let files = MemoryFiles::default().with("p/b/agentci.yaml", native("b"));
        let keys = load_paths(&files.clone().with("p/a/suite.yaml", "suite_nam: a\ncases_path: cases\n"), &["p"]);
        assert_eq!(messages(&keys)[0], "unknown key `suite_nam` in the suite");
        assert!(keys.diagnostics.has_errors());
        let beside = files.with("p/a/suite.yaml", "hello: 1\n").with("p/a/cases/1.yaml", CASE);
        assert!(load_paths(&beside, &["p"]).diagnostics.has_errors());
    }
}
