//! Interprets the value of `-i`: a test file or a message.

use std::path::{Path, PathBuf};

use agentci_source::{FileKind, Files};

/// The value of `-i`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum YaoInput {
    /// A test file.
    File(PathBuf),
    /// A single message.
    Message(String),
    /// A generator of tests, which is not supported: an agent, or functions.
    Generator(String),
}

/// Prefixes of generators.
const GENERATORS: [&str; 2] = ["agents:", "scripts:"];
const OLD_GENERATOR: &str = "scripts.";

impl YaoInput {
    /// Interprets what the user wrote. A file is a path after `@`, a name that ends in `.jsonl` or `.json`, or a path
    /// with a slash that points at a file. Apart from generators, anything else is a message.
    pub fn of(files: &dyn Files, written: &str) -> Self {
        let made_by = |prefix: &str| {
            let name = written.strip_prefix(prefix).filter(|name| !name.is_empty());
            name.is_some_and(|name| !name.contains(char::is_whitespace))
        };
        if GENERATORS.into_iter().any(made_by) {
            return YaoInput::Generator(written.to_owned());
        }
        if let Some(path) = written.strip_prefix('@').filter(|path| !path.is_empty()) {
            return YaoInput::File(path.into());
        }
        let path = Path::new(written);
        let named = [".jsonl", ".json"].iter().any(|ending| written.ends_with(ending));
        if named || (written.contains('/') && files.kind(path) == Some(FileKind::File)) {
            return YaoInput::File(path.into());
        }
        // The name of a file may begin like this too, so files are tested first.
        if made_by(OLD_GENERATOR) {
            return YaoInput::Generator(written.to_owned());
        }
        YaoInput::Message(written.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use agentci_source::MemoryFiles;

    use super::*;

    #[test]
    fn distinguishes_files_generators_and_messages() {
        let files = MemoryFiles::default().with("tests/odd", "").with("odd", "");
        for path in ["tests/none.jsonl", "none.json", "tests/odd"] {
            assert_eq!(YaoInput::of(&files, path), YaoInput::File(path.into()));
        }
        assert_eq!(YaoInput::of(&files, "@odd"), YaoInput::File("odd".into()));
        for name in ["agents:tests.writer", "agents:w?count=3", "scripts:tests.orders", "scripts.tests.orders"] {
            assert_eq!(YaoInput::of(&files, name), YaoInput::Generator(name.into()));
        }
        for message in
            ["agents: what are they?", "agents:", "what is 1/2?", "odd", "", "@", "tests/none", "write a .jsonl file"]
        {
            assert_eq!(YaoInput::of(&files, message), YaoInput::Message(message.into()));
        }
    }
}
