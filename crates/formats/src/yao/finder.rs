//! The tests of the `yao` dialect among what is found and named.

use std::path::{Path, PathBuf};

use agentci_source::{Kind, join};

use crate::Loaded;
use crate::loader::Loader;
use crate::yao::{self, YaoInput};

/// How our own results are called that lie beside the tests.
const OUTPUT: &str = "output-";

/// Where the tests of an assistant usually are.
const TESTS: &str = "tests";
const INPUTS: &str = "inputs.jsonl";

impl Loader<'_> {
    /// Loads what was given as input: a file of tests, or a message.
    pub(crate) fn input(&mut self, written: &str) {
        match YaoInput::of(self.files, written) {
            YaoInput::File(path) => {
                let path = join(&path, "");
                if self.files.kind(&path) == Some(Kind::File) {
                    if self.opened.insert(path.clone()) {
                        self.assistants.push(path);
                    }
                } else {
                    let message = format!("there is no file `{}`", path.display());
                    self.error(&path, message, "name a file of tests with `-i`, or write a message that is no path");
                }
            }
            YaoInput::Generator(name) => {
                let message = format!("`{name}` makes tests, and only files of tests and messages are taken");
                let help = "let it write the tests to a file of JSON lines once, and name that with `-i`; if it is meant as a \
                            message, put a space into it";
                self.error(Path::new("-i"), message, help);
            }
            YaoInput::Message(message) => {
                let Loaded { plan, diagnostics } = &mut self.loaded;
                let suite = yao::lower_message(self.files, self.options, &mut plan.sources, &message, diagnostics);
                if let Some(suite) = suite {
                    self.add(suite);
                }
            }
        }
    }

    /// Loads the tests in the folder of the assistant with this id; whether there is one.
    pub(crate) fn named_assistant(&mut self, id: &str) -> bool {
        let folder = yao::known_folder(self.files, self.options.yao.app.as_deref(), id);
        if let Some(folder) = &folder {
            self.path(folder);
        }
        folder.is_some()
    }

    /// Takes a file that was named directly, if it is one of tests; whether it is.
    pub(crate) fn named_tests(&mut self, path: &Path) -> bool {
        let lines = path.extension().is_some_and(|extension| extension == "jsonl");
        if lines && !self.is_test_file(path) {
            // It may be full of mistakes, but then an assistant's folder tells what it is meant to be.
            let folder = path.parent().unwrap_or(Path::new(""));
            if yao::assistant_of(self.files, folder).is_none() && self.options.agent.is_none() {
                return false;
            }
        }
        if lines {
            self.assistants.push(path.to_path_buf());
        }
        lines
    }

    /// Takes the files of tests among those of a folder; whether there are any.
    pub(crate) fn inputs(&mut self, folder: &Path, paths: Vec<PathBuf>) -> bool {
        if paths.is_empty() {
            return false;
        }
        let named = |path: &PathBuf| is_named_as_tests(path) && !yao::holds_something(self.files, path);
        let tests: Vec<PathBuf> = if yao::assistant_of(self.files, folder).is_some() {
            paths.into_iter().filter(|path| self.is_test_file(path) || named(path)).collect()
        } else {
            // Without an assistant, records of `id` and `input` may be anybody's data.
            let of_app =
                folder.file_name().is_some_and(|name| name == TESTS) && yao::belongs_to_app(self.files, folder);
            let marked = |path: &PathBuf| of_app || is_named_as_tests(path) || yao::asserts(self.files, path);
            paths.into_iter().filter(|path| self.is_test_file(path) && marked(path)).collect()
        };
        let found = !tests.is_empty();
        for path in tests {
            if self.opened.insert(path.clone()) {
                self.assistants.push(path);
            }
        }
        found
    }

    fn is_test_file(&self, path: &Path) -> bool {
        let own = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(OUTPUT));
        !own && yao::holds_tests(self.files, path)
    }

    /// Makes a suite of every file of tests, called as the assistant, or as assistant and file where it has several.
    pub(crate) fn add_assistants(&mut self) {
        let mut made = Vec::new();
        for path in std::mem::take(&mut self.assistants) {
            let Loaded { plan, diagnostics } = &mut self.loaded;
            made.extend(yao::lower_file(self.files, self.options, &mut plan.sources, &path, diagnostics));
        }
        let names: Vec<String> = made.iter().map(|suite| suite.name.clone()).collect();
        for mut suite in made {
            if names.iter().filter(|name| **name == suite.name).count() > 1 {
                let stem = suite.path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
                suite.name = format!("{}.{}", suite.name, stem.unwrap_or_default());
            }
            self.add(suite);
        }
    }

    /// Whether a YAML file is an assistant's or its application's rather than a stray one.
    pub(crate) fn is_of_assistant(&self, path: &Path) -> bool {
        let folder = path.parent().unwrap_or(Path::new(""));
        yao::belongs_to_app(self.files, folder)
    }
}

/// Whether a file is where the tests of an assistant usually are: `tests/inputs.jsonl`.
fn is_named_as_tests(path: &Path) -> bool {
    let folder = path.parent().and_then(Path::file_name);
    path.file_name().is_some_and(|name| name == INPUTS) && folder.is_some_and(|name| name == TESTS)
}
