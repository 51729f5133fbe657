//! Opening a YAML file of a suite: read, remembered for messages, parsed.

use std::path::{Path, PathBuf};

use agentci_source::{Diagnostic, FileError, Files, Node, Sources, Span};

use agentci_source::yaml;

/// The most bytes a suite or case file may have.
pub(crate) const SIZE_LIMIT: u64 = 10 * 1024 * 1024;

/// A file that was opened: its tree, or why there is none.
pub(crate) struct Opened {
    pub(crate) path: PathBuf,
    pub(crate) root: Result<Node, Diagnostic>,
}

/// The tree of a file. Its text is in the sources afterwards, so that problems can be shown, even when it cannot be parsed.
pub(crate) fn open(files: &dyn Files, sources: &mut Sources, path: &Path) -> Result<Node, Diagnostic> {
    open_limited(files, sources, path, SIZE_LIMIT)
}

/// The same, with another limit on the size of the file.
pub(crate) fn open_limited(
    files: &dyn Files,
    sources: &mut Sources,
    path: &Path,
    limit: u64,
) -> Result<Node, Diagnostic> {
    let text = match files.read_text(path, limit) {
        Ok(text) => text,
        Err(error) => {
            let file = sources.add(path, "");
            let diagnostic =
                Diagnostic::error(Span::whole(file), format!("can not read `{}`: {error}", path.display()));
            return Err(match error {
                FileError::TooLarge { .. } => diagnostic.help("split it into smaller files"),
                FileError::Other(reason) if reason.contains("UTF-8") => diagnostic.help("save it as UTF-8 text"),
                FileError::Missing | FileError::Other(_) => diagnostic,
            });
        }
    };
    let text: std::sync::Arc<str> = text.into();
    let file = sources.add(path, text.clone());
    yaml::parse(&text, file)
}

#[cfg(test)]
mod tests {
    use agentci_source::MemoryFiles;

    use super::*;

    #[test]
    fn refuses_a_file_that_is_too_large() {
        let files = MemoryFiles::default().with("a.yaml", vec![b' '; 11 * 1024 * 1024]);
        let error = open(&files, &mut Sources::default(), Path::new("a.yaml")).unwrap_err();
        assert_eq!(error.message, "can not read `a.yaml`: the file has 11534336 bytes, at most 10485760 are read");
    }
}
