//! Writes files that are either complete or absent.

use std::io;
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};

/// Writes a file atomically: the bytes are written to a temporary file next to it, which then replaces it. Neither a
/// reader nor a killed run ever sees half of the file. Missing folders are created.
///
/// Symbolic links are followed. Anything that is not a regular file, such as a pipe or `/dev/stdout`, is written to
/// directly, since it must not be replaced.
pub fn write_whole(path: &Path, bytes: impl AsRef<[u8]>) -> io::Result<()> {
    write_pieces(path, &mut |file| file.write_all(bytes.as_ref()))
}

/// The same for content that is written piece by piece.
pub fn write_pieces(path: &Path, write: WriteCallback<'_>) -> io::Result<()> {
    if let Some(parent) = path.parent().filter(|parent| !parent.as_os_str().is_empty()) {
        fs_err::create_dir_all(parent)?;
    }
    match std::fs::metadata(path) {
        Ok(found) if !found.is_file() => write(&mut fs_err::File::create(path)?),
        Ok(_) => replace(&fs_err::canonicalize(path)?, write),
        Err(_) => replace(path, write),
    }
}

/// Writes content to a writer.
type WriteCallback<'w> = &'w mut dyn FnMut(&mut dyn io::Write) -> io::Result<()>;

fn replace(path: &Path, write: WriteCallback<'_>) -> io::Result<()> {
    let temporary = beside(path);
    let written = write_new(&temporary, write).and_then(|()| fs_err::rename(&temporary, path));
    if written.is_err() {
        // The first error is reported; the temporary file may not even exist.
        let _ = std::fs::remove_file(&temporary);
    }
    written
}

fn write_new(path: &Path, write: WriteCallback<'_>) -> io::Result<()> {
    write(&mut fs_err::OpenOptions::new().write(true).create_new(true).open(path)?)
}

/// A hidden file name in the same folder that no other writer uses, in this or another process. It does not contain the
/// name of the file, which may have the maximum length already.
fn beside(path: &Path) -> PathBuf {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    path.with_file_name(format!("{TEMPORARY_START}{}-{number}{TEMPORARY_END}", process::id()))
}

const TEMPORARY_START: &str = ".agentci-";
const TEMPORARY_END: &str = ".tmp";

/// Whether a file name is one that an unfinished write leaves behind if its process is killed.
pub fn is_temporary(name: &str) -> bool {
    name.starts_with(TEMPORARY_START) && name.ends_with(TEMPORARY_END)
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use super::*;

    fn names(folder: &Path) -> Vec<OsString> {
        let mut names: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        names
    }

    #[test]
    fn creates_folders_and_replaces_existing_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a/b/summary.json");
        write_whole(&path, "one").unwrap();
        write_whole(&path, b"two").unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"two");
        assert_eq!(names(path.parent().unwrap()), ["summary.json"]);
    }

    #[test]
    fn failed_write_leaves_no_temporary_file() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("taken")).unwrap();
        let error = write_whole(&folder.path().join("taken"), b"x").unwrap_err();
        assert!(error.to_string().contains("taken"), "{error}");
        let error = replace(&folder.path().join("taken"), &mut |file| file.write_all(b"x")).unwrap_err();
        assert!(error.to_string().contains("taken"), "{error}");
        assert_eq!(names(folder.path()), ["taken"]);
    }

    #[test]
    fn writes_file_with_longest_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("n".repeat(255));
        write_whole(&path, "whole").unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"whole");
        assert!(is_temporary(beside(&path).file_name().unwrap().to_str().unwrap()));
    }

    #[cfg(unix)]
    #[test]
    fn follows_symlinks() {
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("file"), folder.path().join("link"));
        std::fs::write(&file, "old").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        write_whole(&link, b"new").unwrap();
        assert_eq!(std::fs::read(&file).unwrap(), b"new");
        assert!(link.is_symlink());
    }
}
