//! Resolves the parts of a command that name files in the suite's folder.
//!
//! An agent runs in the caller's folder, but its script is next to the suite, so a part that names a file in the
//! suite's folder is resolved to it. A word that merely happens to be the name of a folder (`data`) is not.

use std::path::{Path, PathBuf};

use agentci_plan::{CommandPart, Text};
use agentci_source::{FileKind, Files, join};

/// The folder of a suite, for resolving relative paths.
#[derive(Clone, Copy)]
pub(crate) struct SuiteFolder<'p> {
    pub(crate) files: &'p dyn Files,
    /// All paths of the suite are relative to it.
    pub(crate) folder: &'p Path,
}

impl SuiteFolder<'_> {
    pub(crate) fn command(self, parts: Vec<Text>) -> Vec<CommandPart> {
        parts.into_iter().map(|text| part(self.files, self.folder, text)).collect()
    }

    /// Resolves a path of the suite.
    pub(crate) fn path(self, written: &str) -> PathBuf {
        join(self.folder, written)
    }
}

/// A folder with one of these files is a program that an interpreter can run.
const PROGRAM_FILES: [&str; 3] = ["__main__.py", "index.js", "package.json"];

/// A part of a command, with the file or program folder that it names relative to `folder`, if any.
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
    fn resolves_only_programs_within_the_suite() {
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
