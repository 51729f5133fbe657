//! Reads which files of a work tree git tracks; git does not ignore these, even if `.gitignore` matches them.
//!
//! The list is in `.git/index`: a header, then one entry per file, sorted by path. See git's `index-format` document.
//! Versions 2 to 4 with SHA-1 are supported; with any other index, no file counts as tracked.

use std::path::{Path, PathBuf};

use agentci_source::{FileKind, Files, join};

/// The size limit of an index, in bytes: several million files.
const INDEX_LIMIT: u64 = 512 << 20;

/// The size limit of a `.git` file, which contains one path.
const POINTER_LIMIT: u64 = 64 << 10;

/// The size of an entry before its flags: timestamps, file metadata, the object name.
const BEFORE_FLAGS: usize = 60;

/// The flag of an entry with two more bytes of flags.
const EXTENDED: u16 = 0x4000;

/// The tracked paths, sorted and relative to the root of the work tree.
#[derive(Debug, Default)]
pub(super) struct TrackedPaths(Vec<Vec<u8>>);

impl TrackedPaths {
    /// Reads the index of the work tree at `root`.
    pub(super) fn read(files: &dyn Files, root: &Path) -> Self {
        let bytes = files.read(&join(&git_folder(files, root), "index"), INDEX_LIMIT).unwrap_or_default();
        Self(parse(&bytes).unwrap_or_default())
    }

    /// Whether the path is a tracked file, or a folder that contains one.
    pub(super) fn holds(&self, path: &str) -> bool {
        let at = self.0.partition_point(|known| known.as_slice() < path.as_bytes());
        let inside = format!("{path}/");
        let below = self.0.partition_point(|known| known.as_slice() < inside.as_bytes());
        self.0.get(at).is_some_and(|known| known == path.as_bytes())
            || self.0.get(below).is_some_and(|known| known.starts_with(inside.as_bytes()))
    }
}

/// The git directory: `.git`, or the target of a `.git` file.
pub(super) fn git_folder(files: &dyn Files, root: &Path) -> PathBuf {
    let git = join(root, ".git");
    if files.kind(&git) != Some(FileKind::File) {
        return git;
    }
    let text = files.read_text(&git, POINTER_LIMIT).unwrap_or_default();
    text.strip_prefix("gitdir:").map_or(git, |path| join(root, path.trim()))
}

fn parse(bytes: &[u8]) -> Option<Vec<Vec<u8>>> {
    let number = |at: usize| Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
    if bytes.get(..4)? != b"DIRC" {
        return None;
    }
    let (version, count) = (number(4)?, number(8)?);
    if !(2..=4).contains(&version) {
        return None;
    }
    let mut paths: Vec<Vec<u8>> = Vec::new();
    let mut at = 12;
    for _ in 0..count {
        let start = at;
        at += BEFORE_FLAGS;
        let flags = u16::from_be_bytes(bytes.get(at..at + 2)?.try_into().ok()?);
        at += if flags & EXTENDED == 0 { 2 } else { 4 };
        let mut path = Vec::new();
        if version == 4 {
            // The path is a prefix of the previous path, and the following bytes.
            let dropped = variable_number(bytes, &mut at)?;
            let former = paths.last().map(Vec::as_slice).unwrap_or_default();
            path.extend_from_slice(former.get(..former.len().checked_sub(dropped)?)?);
        }
        let rest = bytes.get(at..)?;
        let length = rest.iter().position(|byte| *byte == 0)?;
        path.extend_from_slice(&rest[..length]);
        at += length + 1;
        if version < 4 {
            // Entries are padded to a multiple of eight bytes.
            at = start + (at - start).next_multiple_of(8);
        }
        paths.push(path);
    }
    paths.sort();
    Some(paths)
}

/// Reads a variable-length number: seven bits per byte, the most significant byte first.
fn variable_number(bytes: &[u8], at: &mut usize) -> Option<usize> {
    let mut value = 0_usize;
    loop {
        let byte = *bytes.get(*at)?;
        *at += 1;
        value = value.checked_mul(128)?.checked_add(usize::from(byte & 0x7f))?;
        if byte & 0x80 == 0 {
            return Some(value);
        }
        value = value.checked_add(1)?;
    }
}

#[cfg(test)]
mod tests {
    use agentci_source::MemoryFiles;

    use super::*;

    /// An index of a version up to 3, as git writes it.
    fn index(version: u32, paths: &[&str]) -> Vec<u8> {
        let mut bytes = b"DIRC".to_vec();
        bytes.extend(version.to_be_bytes());
        bytes.extend(u32::try_from(paths.len()).unwrap().to_be_bytes());
        for path in paths {
            let mut entry = vec![0; BEFORE_FLAGS];
            entry.extend(if version == 3 { [0x40, 0, 0, 0].as_slice() } else { &[0, 0] });
            entry.extend(path.as_bytes());
            entry.push(0);
            entry.resize(entry.len().next_multiple_of(8), 0);
            bytes.extend(entry);
        }
        bytes
    }

    #[test]
    fn finds_tracked_files_and_their_folders() {
        for version in [2, 3] {
            let bytes = index(version, &["a.yaml", "build/evals/agentci.yaml", "buildings"]);
            let files = MemoryFiles::default().with("r/.git/index", bytes);
            let tracked = TrackedPaths::read(&files, Path::new("r"));
            for path in ["a.yaml", "build", "build/evals", "build/evals/agentci.yaml", "buildings"] {
                assert!(tracked.holds(path), "{version} {path}");
            }
            for path in ["a", "build/other", "evals", "buildings/x"] {
                assert!(!tracked.holds(path), "{version} {path}");
            }
        }
    }

    #[test]
    fn expands_prefix_compressed_paths() {
        let mut bytes = b"DIRC\0\0\0\x04\0\0\0\x02".to_vec();
        for (dropped, rest) in [(0, "a/one.yaml"), (8, "two.yaml")] {
            bytes.extend(vec![0; BEFORE_FLAGS + 2]);
            bytes.push(dropped);
            bytes.extend(rest.as_bytes());
            bytes.push(0);
        }
        assert_eq!(parse(&bytes).unwrap(), [b"a/one.yaml".to_vec(), b"a/two.yaml".to_vec()]);
    }

    #[test]
    fn finds_index_of_a_linked_work_tree() {
        let files = MemoryFiles::default()
            .with("r/.git", "gitdir: ../main/.git/worktrees/r\n")
            .with("main/.git/worktrees/r/index", index(2, &["x"]));
        assert!(TrackedPaths::read(&files, Path::new("r")).holds("x"));
    }

    #[test]
    fn ignores_damaged_index() {
        let whole = index(2, &["a.yaml", "b.yaml"]);
        for length in 0..whole.len() - 8 {
            assert_eq!(parse(&whole[..length]), None, "{length}");
        }
        assert_eq!(parse(&index(7, &[])), None);
    }
}
