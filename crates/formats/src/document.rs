//! Opening a YAML file of a suite: read, remembered for messages, parsed.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use agentci_source::{Diagnostic, Diagnostics, FileError, FileId, Files, Node, Sources, Span, join, yaml};

/// The most bytes a suite or case file may have.
pub(crate) const SIZE_LIMIT: u64 = 10 * 1024 * 1024;

/// The folder that a file is in.
pub(crate) fn folder_of(path: &Path) -> PathBuf {
    join(path.parent().unwrap_or(Path::new("")), "")
}

/// A folder and those above it, at most so many.
pub(crate) fn upward<'f>(files: &'f dyn Files, folder: &Path, most: usize) -> impl Iterator<Item = PathBuf> + use<'f> {
    std::iter::successors(Some(join(folder, "")), move |folder| files.parent(folder)).take(most)
}

/// The name of a file without its ending.
pub(crate) fn stem_of(path: &Path) -> String {
    path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default()
}

/// A file that was opened: its tree, or why there is none.
pub(crate) struct OpenedFile {
    pub(crate) path: PathBuf,
    pub(crate) root: Result<Node, Diagnostic>,
}

/// What every reading of files needs.
pub(crate) struct Loading<'s> {
    pub(crate) files: &'s dyn Files,
    /// The texts that were read so far.
    pub(crate) sources: &'s mut Sources,
    pub(crate) problems: &'s mut Diagnostics,
}

impl Loading<'_> {
    /// The same with another list of problems.
    pub(crate) fn with<'p>(&'p mut self, problems: &'p mut Diagnostics) -> Loading<'p> {
        Loading { files: self.files, sources: self.sources, problems }
    }

    /// The tree of a file. Its text is in the sources afterwards, so that problems can be shown, even when it cannot be parsed.
    pub(crate) fn open(&mut self, path: &Path) -> Result<Node, Diagnostic> {
        open(self.files, self.sources, path, SIZE_LIMIT)
    }

    /// The text of a file of at most `limit` bytes, which is in the sources afterwards.
    pub(crate) fn read_text(&mut self, path: &Path, limit: u64) -> Result<(FileId, Arc<str>), Diagnostic> {
        read_text(self.files, self.sources, path, limit).map_err(|(_, problem)| problem)
    }

    /// Reports problems; `None` if one of them is an error.
    pub(crate) fn report_all(&mut self, problems: Diagnostics) -> Option<()> {
        let refused = problems.has_errors();
        self.problems.append(problems);
        (!refused).then_some(())
    }

    /// What is there, or nothing where a problem is in its place, which is reported.
    pub(crate) fn report<T>(&mut self, read: Result<T, Diagnostic>) -> Option<T> {
        read.map_err(|problem| self.problems.push(problem)).ok()
    }
}

/// The tree of a file of at most `limit` bytes.
pub(crate) fn open(files: &dyn Files, sources: &mut Sources, path: &Path, limit: u64) -> Result<Node, Diagnostic> {
    let (file, text) = read_text(files, sources, path, limit).map_err(|(error, diagnostic)| match error {
        FileError::TooLarge { .. } => diagnostic.help("split it into smaller files"),
        FileError::Other(reason) if reason.contains("UTF-8") => diagnostic.help("save it as UTF-8 text"),
        FileError::Missing | FileError::Other(_) => diagnostic,
    })?;
    yaml::parse(&text, file)
}

/// The text of a file, which is in the sources afterwards; or why it cannot be read, and how to say so.
fn read_text(
    files: &dyn Files,
    sources: &mut Sources,
    path: &Path,
    limit: u64,
) -> Result<(FileId, Arc<str>), (FileError, Diagnostic)> {
    match files.read_text(path, limit) {
        Ok(text) => {
            let text: Arc<str> = text.into();
            Ok((sources.add(path, Arc::clone(&text)), text))
        }
        Err(error) => {
            let message = format!("can not read `{}`: {error}", path.display());
            Err((error, Diagnostic::error(Span::whole(sources.add(path, "")), message)))
        }
    }
}

#[cfg(test)]
mod tests {
    use agentci_source::MemoryFiles;

    use super::*;

    #[test]
    fn refuses_a_file_that_is_too_large() {
        let files = MemoryFiles::default().with("a.yaml", vec![b' '; 11 * 1024 * 1024]);
        let error = open(&files, &mut Sources::default(), Path::new("a.yaml"), SIZE_LIMIT).unwrap_err();
        assert_eq!(error.message, "can not read `a.yaml`: the file has 11534336 bytes, at most 10485760 are read");
    }
}
