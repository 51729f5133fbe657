//! File access for pure code: a trait, so that a plan can be made from a disk, an archive or a map in a test.

use std::collections::BTreeMap;
use std::io::{Cursor, Read, Seek};
use std::path::{Component, Path, PathBuf};

/// What is at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileKind {
    /// A regular file.
    File,
    Folder,
    /// An entry of a folder that cannot be opened; only [`Files::list`] reports it.
    Unusable(UnusableEntry),
}

/// Why an entry of a folder cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnusableEntry {
    /// A file whose name is not UTF-8, so that no suite can name it.
    FileName,
    /// A folder whose name is not UTF-8.
    FolderName,
    /// A link to something that does not exist, or something that is not accessible.
    Unreachable,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FolderEntry {
    /// Its name, without the folder; a name that is not UTF-8 has replacement characters.
    pub name: String,
    /// What it is.
    pub kind: FileKind,
}

/// Why a file could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileError {
    /// The path does not exist.
    Missing,
    /// The file is larger than the limit.
    TooLarge {
        /// The size of the file in bytes.
        size: u64,
        /// The limit in bytes.
        limit: u64,
    },
    /// Any other error, as reported by the system.
    Other(String),
}

impl std::fmt::Display for FileError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            FileError::Missing => f.write_str("no such file"),
            FileError::TooLarge { size, limit } => {
                write!(f, "the file has {size} bytes, the limit is {limit}")
            }
            FileError::Other(text) => f.write_str(text),
        }
    }
}

impl std::error::Error for FileError {}

/// The open content of a file.
pub trait DataInput: Read + Seek + Send {}

impl<T: Read + Seek + Send> DataInput for T {}

/// File access for pure code.
pub trait Files {
    /// The bytes of a file; an error if there are more than `limit`.
    fn read(&self, path: &Path, limit: u64) -> Result<Vec<u8>, FileError>;
    /// Opens a file of any size, to read it in parts.
    fn open(&self, path: &Path) -> Result<Box<dyn DataInput>, FileError> {
        Ok(Box::new(Cursor::new(self.read(path, u64::MAX)?)))
    }
    /// The entries of a folder, sorted by name.
    fn list(&self, folder: &Path) -> Result<Vec<FolderEntry>, FileError>;
    /// What is at a path, following links; `None` if it does not exist.
    fn kind(&self, path: &Path) -> Option<FileKind>;

    /// The last component of a path; `None` if it has none or it is not UTF-8.
    fn name(&self, path: &Path) -> Option<String> {
        path.file_name().and_then(|name| name.to_str()).map(str::to_owned)
    }

    /// The parent of a folder; `None` at the root, and where only a disk can tell.
    fn parent(&self, folder: &Path) -> Option<PathBuf> {
        let folder = join(folder, "");
        matches!(folder.components().next_back(), Some(Component::Normal(_))).then(|| join(&folder, ".."))
    }

    /// The target of a link, as written in the link; `None` if the path is not a link.
    fn link(&self, _path: &Path) -> Option<PathBuf> {
        None
    }

    /// A path for comparing two spellings of a location; without a disk, the working directory is the empty path.
    fn absolute(&self, path: &Path) -> PathBuf {
        let path = join(path, "");
        if path == Path::new(".") { PathBuf::new() } else { path }
    }

    /// The text of a file.
    fn read_text(&self, path: &Path, limit: u64) -> Result<String, FileError> {
        let bytes = self.read(path, limit)?;
        match String::from_utf8(bytes) {
            Ok(text) => Ok(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text)),
            Err(error) => {
                let good = error.utf8_error().valid_up_to();
                let line = error.as_bytes().iter().take(good).filter(|byte| **byte == b'\n').count() + 1;
                Err(FileError::Other(format!("line {line} is not UTF-8 text")))
            }
        }
    }
}

/// Files kept in memory, for tests and for callers that have no disk.
#[derive(Debug, Clone, Default)]
pub struct MemoryFiles {
    files: BTreeMap<PathBuf, Vec<u8>>,
}

impl MemoryFiles {
    /// Adds a file and, implicitly, its folders.
    #[must_use]
    pub fn with(mut self, path: impl Into<PathBuf>, bytes: impl Into<Vec<u8>>) -> Self {
        self.files.insert(path.into(), bytes.into());
        self
    }
}

impl Files for MemoryFiles {
    fn read(&self, path: &Path, limit: u64) -> Result<Vec<u8>, FileError> {
        let bytes = self.files.get(path).ok_or(FileError::Missing)?;
        let size = bytes.len() as u64;
        if size > limit { Err(FileError::TooLarge { size, limit }) } else { Ok(bytes.clone()) }
    }

    fn list(&self, folder: &Path) -> Result<Vec<FolderEntry>, FileError> {
        let mut entries: BTreeMap<String, FileKind> = BTreeMap::new();
        for path in self.files.keys() {
            let Ok(below) = path.strip_prefix(folder) else { continue };
            let mut parts = below.components();
            let Some(Component::Normal(name)) = parts.next() else { continue };
            let kind = if parts.next().is_some() { FileKind::Folder } else { FileKind::File };
            entries.insert(name.to_string_lossy().into_owned(), kind);
        }
        if entries.is_empty() {
            return Err(FileError::Missing);
        }
        Ok(entries.into_iter().map(|(name, kind)| FolderEntry { name, kind }).collect())
    }

    fn kind(&self, path: &Path) -> Option<FileKind> {
        if self.files.contains_key(path) {
            return Some(FileKind::File);
        }
        self.files.keys().any(|file| file.starts_with(path)).then_some(FileKind::Folder)
    }
}

/// Joins a path written in a suite to the suite's folder, and removes `.` parts.
pub fn join(folder: &Path, written: &str) -> PathBuf {
    let mut joined = PathBuf::new();
    for part in folder.join(written).components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if matches!(joined.components().next_back(), Some(Component::Normal(_))) => {
                joined.pop();
            }
            other => joined.push(other),
        }
    }
    if joined.as_os_str().is_empty() { PathBuf::from(".") } else { joined }
}

/// The path of `path` relative to `folder`. Both must be absolute, or relative to the same location.
pub fn relative(folder: &Path, path: &Path) -> PathBuf {
    if folder.is_absolute() != path.is_absolute() {
        return path.to_path_buf();
    }
    let folder = join(folder, "");
    let path = join(path, "");
    let from: Vec<_> = folder.components().filter(|part| *part != Component::CurDir).collect();
    let to: Vec<_> = path.components().filter(|part| *part != Component::CurDir).collect();
    let shared = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
    if from.iter().skip(shared).any(|part| *part == Component::ParentDir) {
        return path;
    }
    let up = std::iter::repeat_n(Component::ParentDir, from.len() - shared);
    let result: PathBuf = up.chain(to.into_iter().skip(shared)).collect();
    if result.as_os_str().is_empty() { PathBuf::from(".") } else { result }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn join_normalizes_dot_segments() {
        assert_eq!(join(Path::new("a/b"), "../c/./d.yaml"), Path::new("a/c/d.yaml"));
        assert_eq!(join(Path::new("."), "x"), Path::new("x"));
        assert_eq!(join(Path::new("a"), ".."), Path::new("."));
        assert_eq!(join(Path::new("a"), "../../x"), Path::new("../x"));
        assert_eq!(join(Path::new("a"), "/etc/x"), Path::new("/etc/x"));
    }

    #[test]
    fn relative_computes_path_from_folder() {
        assert_eq!(relative(Path::new("a/b"), Path::new("a/c/d")), Path::new("../c/d"));
        assert_eq!(relative(Path::new("."), Path::new("a")), Path::new("a"));
        assert_eq!(relative(Path::new("/x/y"), Path::new("/x/y/z")), Path::new("z"));
        assert_eq!(relative(Path::new("a"), Path::new("a")), Path::new("."));
        assert_eq!(relative(Path::new("../x"), Path::new("y")), Path::new("y"));
    }

    #[test]
    fn parent_follows_path_components() {
        let files = MemoryFiles::default();
        for (folder, above) in [
            ("a/b", Some("a")),
            ("a/./b/", Some("a")),
            ("a", Some(".")),
            ("../a", Some("..")),
            ("/a", Some("/")),
            ("/", None),
            (".", None),
            ("", None),
            ("..", None),
        ] {
            assert_eq!(files.parent(Path::new(folder)), above.map(PathBuf::from), "{folder}");
        }
    }

    #[test]
    fn read_text_reports_line_that_is_not_utf8() {
        let files = MemoryFiles::default().with("a", b"ok\nbad \xff\n".to_vec());
        let error = files.read_text(Path::new("a"), 100).unwrap_err();
        assert_eq!(error, FileError::Other("line 2 is not UTF-8 text".into()));
    }
}
