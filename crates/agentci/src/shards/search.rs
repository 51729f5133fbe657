//! Finds the journals of shards, in run folders at or below the given folders.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::MergeError;

/// How many levels of folders are searched.
const DEPTH_LIMIT: usize = 12;
/// How many folders are searched at most.
pub(super) const FOLDER_LIMIT: usize = 20_000;
/// The journals at or below a folder.
pub(super) fn find(folder: &Path, most: usize) -> Result<BTreeSet<PathBuf>, MergeError> {
    let failed = |source| MergeError::Search { path: folder.to_path_buf(), source };
    let (mut found, mut searched) = (BTreeSet::new(), 0);
    let mut waiting = vec![(folder.to_path_buf(), 0)];
    while let Some((path, depth)) = waiting.pop() {
        searched += 1;
        if searched > most {
            return Err(MergeError::Endless { path: folder.to_path_buf(), most });
        }
        let record = if path.is_dir() { path.join("run.jsonl") } else { path.clone() };
        if record.is_file() {
            found.insert(record.canonicalize().map_err(failed)?);
        } else if depth < DEPTH_LIMIT {
            for entry in fs_err::read_dir(&path).map_err(failed)? {
                let entry = entry.map_err(failed)?;
                if entry.file_type().map_err(failed)?.is_dir() {
                    waiting.push((entry.path(), depth + 1));
                }
            }
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn run_search_has_a_depth_limit() {
        let folder = tempfile::tempdir().unwrap();
        let nested = |levels: usize| folder.path().join(levels.to_string()).join(vec!["a"; levels - 1].join("/"));
        for levels in [DEPTH_LIMIT, DEPTH_LIMIT + 1] {
            std::fs::create_dir_all(nested(levels)).unwrap();
            std::fs::write(nested(levels).join("run.jsonl"), "").unwrap();
        }
        let found = find(folder.path(), FOLDER_LIMIT).unwrap();
        assert_eq!(found, BTreeSet::from([nested(DEPTH_LIMIT).join("run.jsonl").canonicalize().unwrap()]));
    }

    #[test]
    fn run_search_reports_too_many_folders() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["a", "b", "c"] {
            std::fs::create_dir(folder.path().join(name)).unwrap();
        }
        assert_eq!(find(folder.path(), 4).unwrap(), BTreeSet::new());
        let error = find(folder.path(), 3).unwrap_err();
        assert!(error.to_string().ends_with("there are more than 3 folders"), "{error}");
    }
}
