//! Which files of a folder matter: names only, nothing is opened here.

use std::path::{Path, PathBuf};

use agentci_plan::Dialect;
use agentci_source::{FileKind, Files, FolderEntry, UnusableEntry, join};

use crate::finder::{config_named, suite_named};

/// The most levels below the named folder that are searched.
pub(crate) const DEPTH_LIMIT: usize = 32;

/// The most folders that are searched; links can make a small tree endless.
pub(crate) const FOLDER_LIMIT: usize = 20_000;

/// Folders in which no suite is looked for, beside those whose names begin with a dot.
const SKIPPED: [&str; 4] = ["target", "node_modules", "__files", "__pycache__"];

/// What one folder holds that matters.
#[derive(Debug, Default)]
pub(crate) struct FolderContent {
    /// Files whose names say they may define a suite, native ones first.
    pub(crate) candidates: Vec<(PathBuf, Dialect)>,
    /// The config of tests that are other files.
    pub(crate) config: Option<PathBuf>,
    /// Other YAML files.
    pub(crate) others: Vec<PathBuf>,
    /// Files of JSON lines.
    pub(crate) lines: Vec<PathBuf>,
    /// Folders to search next, in the order of their names.
    pub(crate) folders: Vec<PathBuf>,
    /// What may hide a suite, and why it cannot be looked at.
    pub(crate) hidden: Vec<(PathBuf, UnusableEntry)>,
}

/// Looks at what one folder holds, but for what is left out.
pub(crate) fn look(
    files: &dyn Files,
    folder: &Path,
    mut entries: Vec<FolderEntry>,
    leave_out: impl Fn(&str, bool) -> bool,
) -> FolderContent {
    let mut found = FolderContent::default();
    entries.sort_by(|one, other| one.name.cmp(&other.name));
    for FolderEntry { name, kind } in entries {
        // What cannot be reached may be either.
        let is_folder = !matches!(kind, FileKind::File | FileKind::Unusable(UnusableEntry::FileName));
        // Asked first: an `exclude` of what is passed over anyway is not in vain.
        if leave_out(&name, is_folder) || name.starts_with('.') {
            continue;
        }
        let path = join(folder, &name);
        match kind {
            FileKind::Folder if SKIPPED.contains(&name.as_str()) => {}
            FileKind::Folder => found.folders.push(path),
            // `agentci` comes before `suite` by name already.
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

/// Whether a file or folder that was left out could have held a suite, by its name.
pub(crate) fn could_hold(path: &Path, is_folder: bool) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
    let fits =
        if is_folder { !SKIPPED.contains(&&*name) } else { (is_yaml(path) || is_lines(path)) && !is_of_others(&name) };
    fits && !name.starts_with('.')
}

/// Whether something that cannot be looked at may be a folder or a file of tests, by its name. `v1.2` is no ending.
fn may_hide(path: &Path) -> bool {
    let ending = path.extension().map(|ending| ending.to_string_lossy());
    is_yaml(path) || is_lines(path) || ending.is_none_or(|ending| ending.chars().all(|letter| letter.is_ascii_digit()))
}

fn is_lines(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "jsonl")
}

/// Whether the name is that of a file which other programs read, so that nobody takes it for a test.
fn is_of_others(name: &str) -> bool {
    ["docker-compose.", "compose.", "mkdocs.", "pnpm-lock.", "pnpm-workspace."]
        .iter()
        .any(|known| name.starts_with(known))
}

fn is_yaml(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "yaml" || extension == "yml")
}
