//! The state of files at one time.

use std::collections::BTreeMap;
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

/// How many files are watched at most.
pub(super) const FILE_LIMIT: usize = 10_000;
/// How many levels of folders are searched.
const DEPTH_LIMIT: usize = 32;
/// How many folders are searched at most, each time files are polled.
pub(super) const FOLDER_LIMIT: usize = 20_000;
/// Folders that are not watched, besides those whose names start with a dot.
const SKIPPED: [&str; 8] =
    ["node_modules", "target", "build", "dist", "vendor", "venv", "site-packages", "__pycache__"];

/// The state of files, by absolute path.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct FileSnapshot {
    files: BTreeMap<PathBuf, Stamp>,
    /// The number of folders that were searched.
    folders: usize,
    cut_off: bool,
}

/// Differs when a file was written or replaced: the seconds and nanoseconds of its modification time, its size and
/// inode.
type Stamp = (i64, i64, u64, u64);

fn stamp(metadata: &Metadata) -> Stamp {
    (metadata.mtime(), metadata.mtime_nsec(), metadata.len(), metadata.ino())
}

impl FileSnapshot {
    /// Adds a file, if it exists.
    pub(super) fn add_file(&mut self, path: &Path) {
        if let Ok(metadata) = std::fs::metadata(path)
            && metadata.is_file()
        {
            if self.files.len() >= FILE_LIMIT {
                self.cut_off = true;
            } else {
                self.files.insert(path.to_path_buf(), stamp(&metadata));
            }
        }
    }

    /// Adds the wanted files at or below a folder, until `most` folders were searched.
    pub(super) fn add_folder(
        &mut self,
        folder: &Path,
        most: usize,
        wanted: &dyn Fn(&Path) -> bool,
        skipped: &dyn Fn(&Path) -> bool,
    ) {
        let mut folders = vec![(folder.to_path_buf(), 0)];
        while let Some((folder, depth)) = folders.pop() {
            self.folders += 1;
            if self.folders > most {
                self.cut_off = true;
                return;
            }
            let Ok(entries) = std::fs::read_dir(&folder) else { continue };
            for entry in entries.flatten() {
                let (path, name) = (entry.path(), entry.file_name());
                // Symbolic links are followed to files, but not to folders, which may form a cycle.
                let Ok(kind) = entry.file_type() else { continue };
                if kind.is_dir() {
                    let name = name.to_string_lossy();
                    let passed_by = name.starts_with('.') || SKIPPED.contains(&&*name) || skipped(&path);
                    if !passed_by && depth < DEPTH_LIMIT {
                        folders.push((path, depth + 1));
                    }
                } else if !is_scratch(&name.to_string_lossy()) && wanted(&path) && !self.files.contains_key(&path) {
                    self.add_file(&path);
                }
                if self.cut_off {
                    return;
                }
            }
        }
    }

    /// This snapshot, with files of an earlier snapshot in their earlier state, so that no change between the two is
    /// lost.
    pub(super) fn with_previous(mut self, previous: &FileSnapshot) -> Self {
        for (path, stamp) in &mut self.files {
            if let Some(then) = previous.files.get(path) {
                *stamp = *then;
            }
        }
        self
    }

    /// A later snapshot, with files that matter and have changed since in the state of this one.
    pub(super) fn caught_up(&self, mut later: FileSnapshot, matters: &dyn Fn(&Path) -> bool) -> Self {
        for path in self.changes(&later).into_iter().filter(|path| matters(path)) {
            match self.files.get(&path) {
                Some(stamp) => drop(later.files.insert(path, *stamp)),
                None => drop(later.files.remove(&path)),
            }
        }
        later
    }

    /// The files that are new, changed or missing in a later snapshot.
    pub(super) fn changes(&self, later: &FileSnapshot) -> Vec<PathBuf> {
        let differs = |path: &&PathBuf| self.files.get(*path) != later.files.get(*path);
        let mut changed: Vec<PathBuf> = later.files.keys().filter(differs).cloned().collect();
        changed.extend(self.files.keys().filter(|path| !later.files.contains_key(*path)).cloned());
        changed.sort();
        changed
    }

    /// Whether there are more files or folders than are watched.
    pub(super) fn is_cut_off(&self) -> bool {
        self.cut_off
    }

    pub(super) fn len(&self) -> usize {
        self.files.len()
    }
}

/// Whether a file is a temporary or hidden file, as editors create them.
fn is_scratch(name: &str) -> bool {
    let ends = ["~", ".swp", ".swx", ".tmp", ".bak", ".orig", ".pyc"].iter().any(|end| name.ends_with(end));
    ends || name.starts_with('.') || name.starts_with('#')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn look(folder: &Path) -> FileSnapshot {
        let mut snapshot = FileSnapshot::default();
        snapshot.add_folder(folder, FOLDER_LIMIT, &|_| true, &|path| path.ends_with("out"));
        snapshot
    }

    #[test]
    fn detects_modified_replaced_created_and_deleted_files() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        for name in ["kept", "written", "replaced", "deleted"] {
            std::fs::write(path(name), "text").unwrap();
        }
        let before = look(folder.path());
        assert_eq!(before.changes(&look(folder.path())), Vec::<PathBuf>::new());
        std::fs::write(path("written"), "longer text").unwrap();
        // The same length, and perhaps the same modification time.
        std::fs::write(path("other"), "TEXT").unwrap();
        std::fs::rename(path("other"), path("replaced")).unwrap();
        std::fs::remove_file(path("deleted")).unwrap();
        std::fs::write(path("made"), "").unwrap();
        let after = look(folder.path());
        assert_eq!(before.changes(&after), ["deleted", "made", "replaced", "written"].map(path));
        assert_eq!(look(folder.path()).with_previous(&before).changes(&after), ["replaced", "written"].map(path));
        let caught_up = before.caught_up(look(folder.path()), &|path| !path.ends_with("written"));
        assert_eq!(caught_up.changes(&after), ["deleted", "made", "replaced"].map(path));
    }

    #[test]
    fn ignores_scratch_and_generated_files() {
        let folder = tempfile::tempdir().unwrap();
        for name in [".git/index", "node_modules/a.js", "target/x", "out/y", ".a.yaml.swp", "a.yaml~", "#a#", "a/b.py"]
        {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "").unwrap();
        }
        std::os::unix::fs::symlink(folder.path(), folder.path().join("round")).unwrap();
        let seen = look(folder.path());
        assert_eq!(seen.files.keys().collect::<Vec<_>>(), [&folder.path().join("a/b.py")]);
    }

    #[test]
    fn stops_at_file_limit() {
        let folder = tempfile::tempdir().unwrap();
        for number in 0..=FILE_LIMIT {
            std::fs::write(folder.path().join(number.to_string()), "").unwrap();
        }
        let seen = look(folder.path());
        assert_eq!((seen.len(), seen.is_cut_off()), (FILE_LIMIT, true));
    }

    #[test]
    fn stops_at_folder_limit() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join("a/b")).unwrap();
        let is_cut_off = |most: usize| {
            let mut snapshot = FileSnapshot::default();
            snapshot.add_folder(folder.path(), most, &|_| true, &|_| false);
            snapshot.is_cut_off()
        };
        assert!(!is_cut_off(3));
        assert!(is_cut_off(2));
    }

    #[test]
    fn stops_at_depth_limit() {
        let folder = tempfile::tempdir().unwrap();
        let nested = |levels: usize| folder.path().join(vec!["a"; levels].join("/"));
        std::fs::create_dir_all(nested(DEPTH_LIMIT + 1)).unwrap();
        for levels in [DEPTH_LIMIT, DEPTH_LIMIT + 1] {
            std::fs::write(nested(levels).join("file"), "").unwrap();
        }
        let seen = look(folder.path());
        assert_eq!(seen.files.keys().collect::<Vec<_>>(), [&nested(DEPTH_LIMIT).join("file")]);
    }
}
