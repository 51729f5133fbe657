//! Files on disk.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};

use agentci_files::{ReadError, read_bounded};
use agentci_source::{DataInput, FileError, FileKind, Files, FolderEntry, UnusableEntry, join};

/// Files on disk; relative paths start at the working folder.
#[derive(Debug, Clone, Copy, Default)]
pub struct DiskFiles;

impl Files for DiskFiles {
    fn read(&self, path: &Path, limit: u64) -> Result<Vec<u8>, FileError> {
        read_bounded(path, limit).map_err(|error| match error {
            ReadError::Io(error) => explain(&error),
            ReadError::TooLarge { size, limit } => FileError::TooLarge { size, limit },
            ReadError::NotRegular => FileError::Other(error.to_string()),
        })
    }

    fn open(&self, path: &Path) -> Result<Box<dyn DataInput>, FileError> {
        let metadata = std::fs::metadata(path).map_err(|error| explain(&error))?;
        if !metadata.is_file() {
            return Err(FileError::Other("it is not a regular file".into()));
        }
        Ok(Box::new(std::fs::File::open(path).map_err(|error| explain(&error))?))
    }

    fn list(&self, folder: &Path) -> Result<Vec<FolderEntry>, FileError> {
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        let mut entries = Vec::new();
        for entry in std::fs::read_dir(folder).map_err(|error| explain(&error))? {
            let entry = entry.map_err(|error| explain(&error))?;
            let (name, kind) = (entry.file_name(), self.kind(&entry.path()));
            let kind = match (name.to_str(), kind) {
                (Some(_), kind) => kind.unwrap_or(FileKind::Unusable(UnusableEntry::Unreachable)),
                (None, Some(FileKind::Folder)) => FileKind::Unusable(UnusableEntry::FolderName),
                (None, _) => FileKind::Unusable(UnusableEntry::FileName),
            };
            entries.push(FolderEntry { name: name.to_string_lossy().into_owned(), kind });
        }
        entries.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(entries)
    }

    fn kind(&self, path: &Path) -> Option<FileKind> {
        let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
        let metadata = std::fs::metadata(path).ok()?;
        if metadata.is_dir() { Some(FileKind::Folder) } else { Some(FileKind::File) }
    }

    /// Only the system knows the name of the working folder.
    fn name(&self, path: &Path) -> Option<String> {
        let shown = if path.as_os_str().is_empty() { Path::new(".") } else { path };
        let whole = shown.file_name().is_none().then(|| shown.canonicalize().ok()).flatten();
        whole.as_deref().unwrap_or(path).file_name().and_then(|name| name.to_str()).map(str::to_owned)
    }

    /// Above the working folder, the parent is `..`, up to the root.
    fn parent(&self, folder: &Path) -> Option<PathBuf> {
        let folder = join(folder, "");
        match folder.components().next_back()? {
            Component::Normal(_) => Some(join(&folder, "..")),
            Component::CurDir | Component::ParentDir => {
                folder.canonicalize().ok()?.parent()?;
                Some(join(&folder, ".."))
            }
            Component::RootDir | Component::Prefix(_) => None,
        }
    }

    fn link(&self, path: &Path) -> Option<PathBuf> {
        std::fs::read_link(path).ok()
    }

    fn absolute(&self, path: &Path) -> PathBuf {
        let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
        join(&std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf()), "")
    }
}

/// Files on disk, with a record of those that were read.
#[derive(Debug, Default)]
pub struct NotedFiles {
    /// A cell, since readers only borrow the files.
    read: RefCell<BTreeSet<PathBuf>>,
}

impl NotedFiles {
    /// The files that were read, including missing ones.
    pub fn into_read(self) -> BTreeSet<PathBuf> {
        self.read.into_inner()
    }
}

impl Files for NotedFiles {
    fn read(&self, path: &Path, limit: u64) -> Result<Vec<u8>, FileError> {
        self.read.borrow_mut().insert(path.to_path_buf());
        DiskFiles.read(path, limit)
    }

    fn open(&self, path: &Path) -> Result<Box<dyn DataInput>, FileError> {
        self.read.borrow_mut().insert(path.to_path_buf());
        DiskFiles.open(path)
    }

    fn list(&self, folder: &Path) -> Result<Vec<FolderEntry>, FileError> {
        DiskFiles.list(folder)
    }

    fn kind(&self, path: &Path) -> Option<FileKind> {
        DiskFiles.kind(path)
    }

    fn name(&self, path: &Path) -> Option<String> {
        DiskFiles.name(path)
    }

    fn parent(&self, folder: &Path) -> Option<PathBuf> {
        DiskFiles.parent(folder)
    }

    fn link(&self, path: &Path) -> Option<PathBuf> {
        DiskFiles.link(path)
    }

    fn absolute(&self, path: &Path) -> PathBuf {
        DiskFiles.absolute(path)
    }
}

fn explain(error: &std::io::Error) -> FileError {
    match error.kind() {
        ErrorKind::NotFound => FileError::Missing,
        _ => FileError::Other(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parent_walk_from_working_folder_ends_at_root() {
        let mut folder = PathBuf::from("src/cli");
        let mut way = Vec::new();
        while let Some(above) = DiskFiles.parent(&folder) {
            assert!(way.len() < 200, "no end: {way:?}");
            folder = above;
            way.push(folder.clone());
        }
        assert_eq!(way[..3], ["src", ".", ".."].map(PathBuf::from));
        assert_eq!(folder.canonicalize().unwrap(), Path::new("/"));
    }
}
