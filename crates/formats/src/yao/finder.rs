//! Finds suites of the `yao` dialect: files of JSON lines, or a single message.

use std::path::{Path, PathBuf};

use agentci_plan::Dialect;
use agentci_source::{FileKind, Files, join};

use super::{
    YaoInput, asserts, assistant_of, belongs_to_app, holds_something, holds_tests, known_folder, lower_file,
    lower_message,
};
use crate::document::OpenedFile;
use crate::finder::{ChosenSuites, Finder, FrontEnd};
use crate::search::SuiteSearch;

/// Prefix of our own result files, which are written beside the tests.
const OUTPUT: &str = "output-";

/// Default location of the tests of an assistant: `tests/inputs.jsonl`.
const TESTS: &str = "tests";
const INPUTS: &str = "inputs.jsonl";

pub(crate) static FRONT_END: FrontEnd = FrontEnd::new(
    Dialect::Yao,
    "JSON lines with `id` and `input` below a `package.yao`",
    // Tests are JSON lines; no YAML file is of this dialect.
    |_| false,
    |files, _| Box::new(YaoFinder { files, tests: Vec::new() }),
);

struct YaoFinder<'f> {
    files: &'f dyn Files,
    /// The test files found so far.
    tests: Vec<PathBuf>,
}

impl Finder for YaoFinder<'_> {
    fn choose(&mut self, alone: bool, search: &mut SuiteSearch<'_>) -> ChosenSuites {
        let options = search.options;
        if let Some(input) = &options.yao.input {
            self.input(input, search);
            return ChosenSuites::Taken;
        }
        let agent = options.agent.as_ref().filter(|_| alone);
        let folder = agent.and_then(|id| known_folder(self.files, options.yao.app.as_deref(), id));
        folder.map_or(ChosenSuites::Nothing, ChosenSuites::Folder)
    }

    fn take_named(&mut self, path: &Path, search: &mut SuiteSearch<'_>) -> bool {
        let lines = path.extension().is_some_and(|extension| extension == "jsonl");
        if lines && !self.is_test_file(path) {
            // A file without a valid test still counts if it belongs to an assistant, or if an assistant was chosen.
            let folder = path.parent().unwrap_or(Path::new(""));
            if assistant_of(self.files, folder).is_none() && search.options.agent.is_none() {
                return false;
            }
        }
        if lines {
            self.tests.push(path.to_path_buf());
        }
        lines
    }

    /// No YAML file is of this dialect.
    fn take(&mut self, _file: OpenedFile, _search: &mut SuiteSearch<'_>) {}

    fn take_lines(&mut self, folder: &Path, paths: &[PathBuf], search: &mut SuiteSearch<'_>) -> bool {
        if paths.is_empty() {
            return false;
        }
        let named = |path: &PathBuf| is_named_as_tests(path) && !holds_something(self.files, path);
        let tests: Vec<&PathBuf> = if assistant_of(self.files, folder).is_some() {
            paths.iter().filter(|path| self.is_test_file(path) || named(path)).collect()
        } else {
            // Without an assistant, records with `id` and `input` may be unrelated data.
            let of_app = folder.file_name().is_some_and(|name| name == TESTS) && belongs_to_app(self.files, folder);
            let marked = |path: &PathBuf| of_app || is_named_as_tests(path) || asserts(self.files, path);
            paths.iter().filter(|path| self.is_test_file(path) && marked(path)).collect()
        };
        let found = !tests.is_empty();
        for path in tests {
            if search.opened.insert(path.clone()) {
                self.tests.push(path.clone());
            }
        }
        found
    }

    /// Whether a YAML file belongs to an assistant or its application.
    fn knows(&self, path: &Path) -> bool {
        belongs_to_app(self.files, path.parent().unwrap_or(Path::new("")))
    }

    /// Makes a suite of every test file, named after the assistant, or after assistant and file if there are several.
    fn finish(&mut self, search: &mut SuiteSearch<'_>) {
        let mut made = Vec::new();
        for path in std::mem::take(&mut self.tests) {
            made.extend(lower_file(search.options, &path, &mut search.loading()));
        }
        let names: Vec<String> = made.iter().map(|suite| suite.name.clone()).collect();
        for mut suite in made {
            if names.iter().filter(|name| **name == suite.name).count() > 1 {
                let stem = suite.path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
                suite.name = format!("{}.{}", suite.name, stem.unwrap_or_default());
            }
            search.add(suite);
        }
    }
}

impl YaoFinder<'_> {
    /// Loads the value of `-i`: a test file or a message.
    fn input(&mut self, written: &str, search: &mut SuiteSearch<'_>) {
        match YaoInput::of(self.files, written) {
            YaoInput::File(path) => {
                let path = join(&path, "");
                if self.files.kind(&path) == Some(FileKind::File) {
                    if search.opened.insert(path.clone()) {
                        self.tests.push(path);
                    }
                } else {
                    let message = format!("file `{}` does not exist", path.display());
                    search.error(&path, message, "pass a test file with `-i`, or a message that is not a path");
                }
            }
            YaoInput::Generator(name) => {
                let message = format!("`{name}` generates tests; only test files and messages are supported");
                let help = "generate the tests once into a file of JSON lines and pass that with `-i`; if it is \
                            meant as a message, add a space to it";
                search.error(Path::new("-i"), message, help);
            }
            YaoInput::Message(message) => {
                if let Some(suite) = lower_message(search.options, &message, &mut search.loading()) {
                    search.add(suite);
                }
            }
        }
    }

    fn is_test_file(&self, path: &Path) -> bool {
        let own = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(OUTPUT));
        !own && holds_tests(self.files, path)
    }
}

/// Whether a file is at the default location, `tests/inputs.jsonl`.
fn is_named_as_tests(path: &Path) -> bool {
    let folder = path.parent().and_then(Path::file_name);
    path.file_name().is_some_and(|name| name == INPUTS) && folder.is_some_and(|name| name == TESTS)
}
