//! Classifies the entries of a folder by name, without opening them.

use std::path::{Path, PathBuf};

use agentci_plan::Dialect;
use agentci_source::{FileKind, Files, FolderEntry, UnusableEntry, join};

use crate::finder::{config_named, suite_named};

/// The maximum depth of a search below the named folder.
pub(crate) const DEPTH_LIMIT: usize = 32;

/// The maximum number of folders of a search; links can make a small tree endless.
pub(crate) const FOLDER_LIMIT: usize = 20_000;

/// Folders that are not searched, in addition to those whose names begin with a dot.
const SKIPPED: [&str; 4] = ["target", "node_modules", "__files", "__pycache__"];

/// The relevant entries of one folder.
#[derive(Debug, Default)]
pub(crate) struct FolderContent {
    /// Files with the name of a suite, native ones first.
    pub(crate) candidates: Vec<(PathBuf, Dialect)>,
    /// A config whose tests are in other files.
    pub(crate) config: Option<PathBuf>,
    /// Other YAML files.
    pub(crate) others: Vec<PathBuf>,
    /// JSON Lines files.
    pub(crate) lines: Vec<PathBuf>,
    /// Folders to search next, sorted by name.
    pub(crate) folders: Vec<PathBuf>,
    /// Entries that may hide a suite, and why they cannot be read.
    pub(crate) hidden: Vec<(PathBuf, UnusableEntry)>,
}

/// Classifies the entries of a folder, except those that `leave_out` excludes.
pub(crate) fn look(
    files: &dyn Files,
    folder: &Path,
    mut entries: Vec<FolderEntry>,
    leave_out: impl Fn(&str, bool) -> bool,
) -> FolderContent {
    let mut found = FolderContent::default();
    entries.sort_by(|one, other| one.name.cmp(&other.name));
    for FolderEntry { name, kind } in entries {
        // An unreachable entry may be a file or a folder.
        let is_folder = !matches!(kind, FileKind::File | FileKind::Unusable(UnusableEntry::FileName));
        // Called first, so that an `exclude` of a skipped name counts as used.
        if leave_out(&name, is_folder) || name.starts_with('.') {
            continue;
        }
        let path = join(folder, &name);
        match kind {
            FileKind::Folder if SKIPPED.contains(&name.as_str()) => {}
            FileKind::Folder => found.folders.push(path),
            // The names are sorted, so `agentci` comes before `suite`.
            FileKind::File => match suite_named(&name) {
                Some(front) => found.candidates.push((path, front.dialect)),
                None if config_named(&name).is_some() => found.config = found.config.or(Some(path)),
                None if is_yaml(&path) && !is_of_others(&name) => found.others.push(path),
                None if is_lines(&path) => found.lines.push(path),
                None => {}
            },
            FileKind::Unusable(why) => {
                let link = files.link(&path).filter(|_| why == UnusableEntry::Unreachable);
                let hides = match why {
                    UnusableEntry::FolderName => true,
                    UnusableEntry::FileName => is_yaml(&path) || is_lines(&path),
                    UnusableEntry::Unreachable => may_hide(&path) || link.is_some_and(|target| may_hide(&target)),
                };
                if hides && !SKIPPED.contains(&name.as_str()) {
                    found.hidden.push((path, why));
                }
            }
        }
    }
    found
}

/// Whether an excluded file or folder could contain a suite, judging by its name.
pub(crate) fn could_hold(path: &Path, is_folder: bool) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
    let fits =
        if is_folder { !SKIPPED.contains(&&*name) } else { (is_yaml(path) || is_lines(path)) && !is_of_others(&name) };
    fits && !name.starts_with('.')
}

/// Whether an unreachable entry may be a folder or a file of tests, judging by its name. The `.2` of `v1.2` is not a
/// file extension.
fn may_hide(path: &Path) -> bool {
    let ending = path.extension().map(|ending| ending.to_string_lossy());
    is_yaml(path) || is_lines(path) || ending.is_none_or(|ending| ending.chars().all(|letter| letter.is_ascii_digit()))
}

fn is_lines(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "jsonl")
}

/// Whether the file belongs to another program and is not a test, judging by its name.
fn is_of_others(name: &str) -> bool {
    ["docker-compose.", "compose.", "mkdocs.", "pnpm-lock.", "pnpm-workspace."]
        .iter()
        .any(|known| name.starts_with(known))
}

fn is_yaml(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "yaml" || extension == "yml")
}
