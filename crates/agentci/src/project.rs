//! The folders of the project of a suite; recordings are written only there.

use std::path::{Path, PathBuf};

use agentci_plan::Suite;

/// The files with the settings of a project or a suite.
const SETTINGS: [&str; 2] = ["agentci.yaml", "agentci.yml"];

/// How many symbolic links are followed at most.
const MOST_LINKS: usize = 40;

/// The folders of the project of a suite, with symbolic links resolved: the folder of the suite, its git work tree, the
/// topmost parent folder with an `agentci.yaml`, and the working folder if it contains the suite.
pub(crate) fn folders(suite: &Suite) -> Vec<PathBuf> {
    let file = real(&suite.path);
    let own = if file.is_dir() { file } else { file.parent().map(Path::to_path_buf).unwrap_or_default() };
    let above: Vec<PathBuf> = own.ancestors().map(Path::to_path_buf).collect();
    let tree = above.iter().find(|folder| folder.join(".git").exists());
    // Folders above the work tree belong to other projects.
    let within = |folder: &&PathBuf| tree.is_none_or(|tree| folder.starts_with(tree));
    let has_settings = |folder: &&PathBuf| SETTINGS.iter().any(|name| folder.join(name).is_file());
    let highest = above.iter().filter(within).rfind(has_settings);
    let here = std::env::current_dir().ok().map(|here| real(&here)).filter(|here| own.starts_with(here));
    let found: Vec<PathBuf> = tree.into_iter().chain(highest).cloned().chain(here).collect();
    found.into_iter().chain([own.clone()]).collect()
}

/// A path with all symbolic links resolved, whether or not the file exists yet.
pub fn real(path: &Path) -> PathBuf {
    follow(&std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf()), MOST_LINKS)
}

fn follow(path: &Path, links: usize) -> PathBuf {
    if let Ok(real) = path.canonicalize() {
        return real;
    }
    let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else { return path.to_path_buf() };
    match std::fs::read_link(path) {
        // A link to a file that does not exist yet.
        Ok(target) if links > 0 => follow(&parent.join(target), links - 1),
        _ => follow(parent, links).join(name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resolves_symlinks_in_paths_that_do_not_exist_yet() {
        let root = tempfile::tempdir().unwrap();
        let top = root.path().canonicalize().unwrap();
        std::fs::create_dir_all(top.join("a/b")).unwrap();
        std::os::unix::fs::symlink("a/b", top.join("link")).unwrap();
        std::os::unix::fs::symlink("../elsewhere.jsonl", top.join("a/file.jsonl")).unwrap();
        assert_eq!(real(&top.join("link/new/x.jsonl")), top.join("a/b/new/x.jsonl"));
        assert_eq!(real(&top.join("a/file.jsonl")), top.join("elsewhere.jsonl"));
        std::os::unix::fs::symlink("round", top.join("round")).unwrap();
        assert_eq!(real(&top.join("round")), top.join("round"));
    }
}
