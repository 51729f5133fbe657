//! Finds the data files that a suite names.

use std::path::{Path, PathBuf};

use agentci_dataset::DataFormat;
use agentci_source::{Diagnostics, FileError, FileKind, Files, Span, Spanned, join, read};

use crate::search::Glob;

/// The maximum number of entries of folders that a pattern is compared with.
const MOST_ENTRIES: usize = 100_000;
/// The maximum depth of folders below the one that a pattern begins in.
const MOST_DEPTH: usize = 20;

/// A data file, and where the suite names it.
pub(super) struct FoundFile {
    pub(super) path: PathBuf,
    pub(super) format: DataFormat,
    pub(super) span: Span,
}

/// The files, each once, in the order of the suite; those of a pattern are sorted.
pub(super) fn find(
    files: &dyn Files,
    folder: &Path,
    written: &[Spanned<String>],
    problems: &mut Diagnostics,
) -> Vec<FoundFile> {
    let mut found: Vec<FoundFile> = Vec::new();
    for Spanned { value, span } in written {
        let paths = if value.contains(['*', '?', '[']) && files.kind(&join(folder, value)).is_none() {
            fitting(files, folder, value, |unlisted, error| {
                let message = format!("cannot list the folder `{}`: {error}", unlisted.display());
                problems
                    .warning(*span, message, "its files make no cases")
                    .help("make it readable, or narrow the pattern");
            })
        } else {
            vec![join(folder, value)]
        };
        if paths.is_empty() {
            let help = "the pattern is relative to the folder of the suite";
            problems.error(*span, format!("no file matches `{value}`"), "makes no case").help(help);
        }
        for path in paths {
            if found.iter().any(|known| known.path == path) {
                continue;
            }
            if let Some(format) = DataFormat::of(&path) {
                found.push(FoundFile { path, format, span: *span });
                continue;
            }
            let known: Vec<String> =
                DataFormat::EXTENSIONS.iter().map(|(extension, _)| format!(".{extension}")).collect();
            let message = format!("`{}` is not a data file", path.display());
            let help = format!("supported are {}", read::quoted_list(&known));
            problems.error(*span, message, "unknown extension").help(help);
        }
    }
    found
}

/// The files below a folder that match a pattern, sorted. Folders that could contain more of them but cannot be listed
/// are passed to `report`.
fn fitting(files: &dyn Files, folder: &Path, pattern: &str, mut report: impl FnMut(&Path, &FileError)) -> Vec<PathBuf> {
    // The search begins in the last folder that has no wildcard.
    let parts: Vec<&str> = pattern.split('/').collect();
    let wild = parts.iter().position(|part| part.contains(['*', '?', '['])).expect("the pattern has a wildcard");
    let base = join(folder, &parts[..wild].join("/"));
    // A pattern without a slash would match at any depth.
    let Some(glob) = Glob::new(&format!("/{}", parts[wild..].join("/"))) else { return Vec::new() };
    let levels = if parts.contains(&"**") { usize::MAX } else { parts.len() - wild };
    let mut search = Search { files, glob, levels, found: Vec::new(), left: MOST_ENTRIES, report: &mut report };
    search.folder(&base, "", 0);
    search.found.sort();
    search.found
}

struct Search<'f> {
    files: &'f dyn Files,
    glob: Glob,
    /// How many levels of folders can contain a match.
    levels: usize,
    found: Vec<PathBuf>,
    left: usize,
    report: &'f mut dyn FnMut(&Path, &FileError),
}

impl Search<'_> {
    fn folder(&mut self, folder: &Path, below: &str, depth: usize) {
        let entries = match self.files.list(folder) {
            Ok(entries) => entries,
            // A path that is not a folder has no files.
            Err(_) if self.files.kind(folder) != Some(FileKind::Folder) => return,
            Err(error) => {
                if depth < self.levels {
                    (self.report)(folder, &error);
                }
                return;
            }
        };
        for entry in entries {
            let Some(left) = self.left.checked_sub(1) else { return };
            self.left = left;
            let (path, name) = (folder.join(&entry.name), format!("{below}{}", entry.name));
            match entry.kind {
                FileKind::File if self.glob.fits(&name, false) => self.found.push(path),
                FileKind::Folder if depth < MOST_DEPTH && !entry.name.starts_with('.') => {
                    self.folder(&path, &format!("{name}/"), depth + 1);
                }
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use agentci_source::MemoryFiles;

    use super::*;

    fn found(files: &MemoryFiles, pattern: &str) -> Vec<String> {
        fitting(files, Path::new("s"), pattern, |_, _| ()).iter().map(|path| path.display().to_string()).collect()
    }

    #[test]
    fn patterns_match_names_and_folders() {
        let names = ["s/a.csv", "s/d/b.csv", "s/d/e/c.csv", "s/d/x.json", "s/.git/z.csv"];
        let files = names.iter().fold(MemoryFiles::default(), |files, name| files.with(name, ""));
        assert_eq!(found(&files, "*.csv"), ["s/a.csv"]);
        assert_eq!(found(&files, "**/*.csv"), ["s/a.csv", "s/d/b.csv", "s/d/e/c.csv"]);
        assert_eq!(found(&files, "d/*.[cj]*"), ["s/d/b.csv", "s/d/x.json"]);
        assert_eq!(found(&files, "../s/d/*.csv"), ["s/d/b.csv"]);
    }

    #[test]
    fn the_search_is_limited() {
        let deep = format!("s/{}a.csv", "d/".repeat(MOST_DEPTH + 1));
        let files = MemoryFiles::default().with(format!("s/{}a.csv", "d/".repeat(MOST_DEPTH)), "").with(deep, "");
        assert_eq!(found(&files, "**/*.csv").len(), 1);
        let many = (0..5).fold(MemoryFiles::default(), |files, number| files.with(format!("s/{number}.csv"), ""));
        let glob = Glob::new("/*.csv").unwrap();
        let report = &mut |_: &Path, _: &FileError| ();
        let mut search = Search { files: &many, glob, levels: 1, found: Vec::new(), left: 3, report };
        search.folder(Path::new("s"), "", 0);
        assert_eq!((search.found.len(), search.left), (3, 0));
    }

    /// Files of which one folder cannot be listed.
    struct Unlistable(MemoryFiles);

    impl Files for Unlistable {
        fn read(&self, path: &Path, limit: u64) -> Result<Vec<u8>, FileError> {
            self.0.read(path, limit)
        }

        fn list(&self, folder: &Path) -> Result<Vec<agentci_source::FolderEntry>, FileError> {
            if folder.ends_with("locked") { Err(FileError::Other("denied".into())) } else { self.0.list(folder) }
        }

        fn kind(&self, path: &Path) -> Option<FileKind> {
            self.0.kind(path)
        }
    }

    #[test]
    fn reports_folders_that_cannot_be_listed_and_could_contain_matches() {
        let files = Unlistable(MemoryFiles::default().with("s/a.csv", "").with("s/locked/b.csv", ""));
        for (pattern, reported) in [("**/*.csv", true), ("*/b.csv", true), ("*.csv", false), ("missing/*.csv", false)] {
            let mut unlisted = Vec::new();
            fitting(&files, Path::new("s"), pattern, |folder, _| unlisted.push(folder.to_path_buf()));
            assert_eq!(unlisted.contains(&PathBuf::from("s/locked")), reported, "{pattern}: {unlisted:?}");
        }
    }
}
