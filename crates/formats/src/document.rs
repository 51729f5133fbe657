//! Reads and parses the YAML files of a suite, and keeps their text for diagnostics.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use agentci_source::{Diagnostic, Diagnostics, FileError, FileId, Files, Node, Sources, Span, join, yaml};

/// The size limit of a suite or case file, in bytes.
pub(crate) const SIZE_LIMIT: u64 = 10 * 1024 * 1024;

/// The size limit of a file that is named on the command line or has the name of a native suite, in bytes. While it is
/// read, a suite takes about twenty times its size in memory.
pub(crate) const SUITE_LIMIT: u64 = 64 * 1024 * 1024;

pub(crate) fn folder_of(path: &Path) -> PathBuf {
    join(path.parent().unwrap_or(Path::new("")), "")
}

/// A folder and its parents, at most `most` in total.
pub(crate) fn upward<'f>(files: &'f dyn Files, folder: &Path, most: usize) -> impl Iterator<Item = PathBuf> + use<'f> {
    std::iter::successors(Some(join(folder, "")), move |folder| files.parent(folder)).take(most)
}

/// The file name without its extension.
pub(crate) fn stem_of(path: &Path) -> String {
    path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default()
}

/// An opened file: its tree, or the reason why it cannot be read or parsed.
pub(crate) struct OpenedFile {
    pub(crate) path: PathBuf,
    pub(crate) root: Result<Node, Diagnostic>,
}

/// The context for reading files.
pub(crate) struct Loading<'s> {
    pub(crate) files: &'s dyn Files,
    /// The text of every file read so far.
    pub(crate) sources: &'s mut Sources,
    pub(crate) problems: &'s mut Diagnostics,
}

impl Loading<'_> {
    /// The same context with another list of problems.
    pub(crate) fn with<'p>(&'p mut self, problems: &'p mut Diagnostics) -> Loading<'p> {
        Loading { files: self.files, sources: self.sources, problems }
    }

    /// Parses a file. Its text is added to the sources even if it cannot be parsed, so that problems can be shown.
    pub(crate) fn open(&mut self, path: &Path) -> Result<Node, Diagnostic> {
        open(self.files, self.sources, path, SIZE_LIMIT)
    }

    /// Parses a file that may be a whole suite, as [`Loading::open`] does.
    pub(crate) fn open_suite(&mut self, path: &Path) -> Result<Node, Diagnostic> {
        open(self.files, self.sources, path, SUITE_LIMIT).map_err(|problem| match &problem.help {
            Some(help) if help == SPLIT => problem.help(
                "a suite is kept in memory while it is read, in about 20 times its size; move the cases into a data file, \
                 which is read row by row: `cases: { from: cases.jsonl, .. }`",
            ),
            _ => problem,
        })
    }

    /// Reads a file of at most `limit` bytes and adds its text to the sources.
    pub(crate) fn read_text(&mut self, path: &Path, limit: u64) -> Result<(FileId, Arc<str>), Diagnostic> {
        read_text(self.files, self.sources, path, limit).map_err(|(_, problem)| problem)
    }

    /// Reports problems; `None` if one of them is an error.
    pub(crate) fn report_all(&mut self, problems: Diagnostics) -> Option<()> {
        let refused = problems.has_errors();
        self.problems.append(problems);
        (!refused).then_some(())
    }

    /// Returns the value, or reports the problem.
    pub(crate) fn report<T>(&mut self, read: Result<T, Diagnostic>) -> Option<T> {
        read.map_err(|problem| self.problems.push(problem)).ok()
    }
}

/// The help for a file that is too large.
const SPLIT: &str = "split it into smaller files";

/// Parses a file of at most `limit` bytes.
pub(crate) fn open(files: &dyn Files, sources: &mut Sources, path: &Path, limit: u64) -> Result<Node, Diagnostic> {
    let (file, text) = read_text(files, sources, path, limit).map_err(|(error, diagnostic)| match error {
        FileError::TooLarge { .. } => diagnostic.help(SPLIT),
        FileError::Other(reason) if reason.contains("UTF-8") => diagnostic.help("save it as UTF-8 text"),
        FileError::Missing | FileError::Other(_) => diagnostic,
    })?;
    yaml::parse(&text, file)
}

/// Reads a file and adds its text to the sources; on failure, returns the reason and its diagnostic.
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
            let message = format!("cannot read `{}`: {error}", path.display());
            Err((error, Diagnostic::error(Span::whole(sources.add(path, "")), message)))
        }
    }
}

#[cfg(test)]
mod tests {
    use agentci_source::MemoryFiles;

    use super::*;

    #[test]
    fn refuses_oversized_file() {
        let files = MemoryFiles::default().with("a.yaml", vec![b' '; 11 * 1024 * 1024]);
        let error = open(&files, &mut Sources::default(), Path::new("a.yaml"), SIZE_LIMIT).unwrap_err();
        assert_eq!(error.message, "cannot read `a.yaml`: the file has 11534336 bytes, the limit is 10485760");
    }

    #[test]
    fn refuses_oversized_suite_with_its_reason() {
        let files = MemoryFiles::default().with("a.yaml", vec![b' '; 65 << 20]);
        let (mut sources, mut problems) = (Sources::default(), Diagnostics::default());
        let mut loading = Loading { files: &files, sources: &mut sources, problems: &mut problems };
        let error = loading.open_suite(Path::new("a.yaml")).unwrap_err();
        assert_eq!(error.message, "cannot read `a.yaml`: the file has 68157440 bytes, the limit is 67108864");
        assert!(error.help.unwrap().contains("move the cases into a data file"));
    }
}
