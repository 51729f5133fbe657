//! The folder of a suite, and which parts of a command are files in it.
//!
//! An agent runs in the caller's folder while its script lies beside the suite, so a part that names something in the suite's
//! folder must be found there. A word that merely happens to be the name of a folder (`data`) is left alone.

use std::path::{Path, PathBuf};

use agentci_plan::{CommandPart, Text};
use agentci_source::{FileKind, Files, join};

/// Where a suite stands, for what must look beside it.
#[derive(Clone, Copy)]
pub(crate) struct SuiteFolder<'p> {
    pub(crate) files: &'p dyn Files,
    /// The folder all paths of the suite are relative to.
    pub(crate) folder: &'p Path,
}

impl SuiteFolder<'_> {
    /// The parts of a command, with the files that they name.
    pub(crate) fn command(self, parts: Vec<Text>) -> Vec<CommandPart> {
        parts.into_iter().map(|text| part(self.files, self.folder, text)).collect()
    }

    /// A path as it is written in the suite.
    pub(crate) fn path(self, written: &str) -> PathBuf {
        join(self.folder, written)
    }
}

/// What makes a folder a program that an interpreter can be pointed at.
const PROGRAM_FILES: [&str; 3] = ["__main__.py", "index.js", "package.json"];

/// A part of a command, with the file it names if it names one below or beside `folder`.
pub(crate) fn part(files: &dyn Files, folder: &Path, text: Text) -> CommandPart {
    let file = match &text {
        Text::Literal(word) if may_be_path(word) => {
            let path = join(folder, word);
            let named = match files.kind(&path) {
                Some(FileKind::File) => true,
                Some(FileKind::Folder) => {
                    word.contains('/') || PROGRAM_FILES.iter().any(|name| files.kind(&join(&path, name)).is_some())
                }
                Some(FileKind::Unusable(_)) | None => false,
            };
            named.then_some(path)
        }
        Text::Literal(_) | Text::Template(_) => None,
    };
    CommandPart { text, file }
}

fn may_be_path(word: &str) -> bool {
    !word.is_empty() && !word.starts_with('-') && !Path::new(word).is_absolute()
}

#[cfg(test)]
mod tests {
    use agentci_source::MemoryFiles;

    use super::*;

    #[test]
    fn only_what_names_a_program_of_the_suite_is_resolved() {
        let files = MemoryFiles::default()
            .with("s/agent.py", "")
            .with("s/data/x", "")
            .with("s/pkg/__main__.py", "")
            .with("s/lib/run/x", "")
            .with("s/-v", "")
            .with("shared.py", "");
        for (word, found) in [
            ("agent.py", Some("s/agent.py")),
            ("./agent.py", Some("s/agent.py")),
            ("../shared.py", Some("shared.py")),
            ("data", None),
            ("lib/run", Some("s/lib/run")),
            ("pkg", Some("s/pkg")),
            ("python3", None),
            ("-v", None),
            ("", None),
            ("/s/agent.py", None),
        ] {
            let part = part(&files, Path::new("s"), Text::Literal(word.into()));
            assert_eq!(part.file, found.map(PathBuf::from), "{word}");
        }
        assert_eq!(part(&files, Path::new("s"), Text::parse("${X}agent.py")).file, None);
    }
}
