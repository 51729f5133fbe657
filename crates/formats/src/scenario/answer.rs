//! Finds the answer file that `response_file` names.

use std::path::{Component, Path, PathBuf};

use agentci_source::{Diagnostics, FileKind, Files, Spanned, did_you_mean, join, read, relative};

/// The folder of answer files.
pub(super) const ANSWERS: &str = "__files";

/// Maximum number of files to search for a similar name.
const MOST_LOOKED_AT: usize = 2000;

/// The folders in which answer files are looked up.
#[derive(Clone, Copy)]
pub(super) struct AnswerFolders<'s> {
    pub(super) files: &'s dyn Files,
    /// The folder of the agent.
    pub(super) agent: &'s Path,
    /// The folder that paths must not leave.
    pub(super) root: &'s Path,
    /// The folder of the scenario.
    pub(super) folder: &'s Path,
}

impl AnswerFolders<'_> {
    /// Finds a file: below `__files` of the agent, below `__files` beside the scenario, or beside the scenario itself.
    pub(super) fn find(&self, written: &Spanned<String>, problems: &mut Diagnostics) -> Option<PathBuf> {
        let path = written.value.replace('\\', "/");
        let shown = written.value.escape_debug();
        if Path::new(&path).is_absolute() {
            let message = format!("`response_file` must be a relative path, found `{shown}`");
            let help = format!("move the file to `{}` and use a relative path", join(self.agent, ANSWERS).display());
            problems.error(written.span, message, "an absolute path").help(help);
            return None;
        }
        let mut places = Vec::new();
        for folder in [join(self.agent, ANSWERS), join(self.folder, ANSWERS), self.folder.to_path_buf()] {
            let place = join(&folder, &path);
            if !places.contains(&place) {
                places.push(place);
            }
        }
        places.retain(|place| !leads_out(self.root, place));
        if places.is_empty() {
            problems
                .error(written.span, format!("`{shown}` points outside `{}`", self.root.display()), "not allowed")
                .help("answer files must be in the folder of the tests; copy the file there");
            return None;
        }
        if let Some(place) = places.iter().find(|place| self.files.kind(place) == Some(FileKind::File)) {
            return Some(place.clone());
        }
        let tried: Vec<String> = places.iter().map(|place| place.display().to_string()).collect();
        let tried = format!("agentci looked for {}", read::quoted_list(&tried));
        let help = match self.near(&path) {
            Some(near) => format!("did you mean `{near}`? {tried}"),
            None => tried,
        };
        problems.error(written.span, format!("answer file `{shown}` does not exist"), "not found").help(help);
        None
    }

    /// The answer file of the agent with a similar name.
    fn near(&self, path: &str) -> Option<String> {
        let top = join(self.agent, ANSWERS);
        let mut folders = vec![top.clone()];
        let mut found: Vec<String> = Vec::new();
        let mut looked_at = 0;
        while let Some(folder) = folders.pop() {
            for entry in self.files.list(&folder).unwrap_or_default() {
                let path = join(&folder, &entry.name);
                match entry.kind {
                    FileKind::Folder => folders.push(path),
                    FileKind::File => found.push(relative(&top, &path).to_string_lossy().into_owned()),
                    FileKind::Unusable(_) => {}
                }
                // Links can make a small tree endless.
                looked_at += 1;
                if looked_at > MOST_LOOKED_AT {
                    return None;
                }
            }
        }
        found.sort();
        did_you_mean(path, found.iter().map(String::as_str)).map(str::to_owned)
    }
}

/// Whether a path, as written, is outside a folder.
fn leads_out(folder: &Path, path: &Path) -> bool {
    path.is_absolute() != folder.is_absolute()
        || relative(folder, path).components().next().is_some_and(|part| part == Component::ParentDir)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn search_for_similar_file_is_limited() {
        let meant = |others: usize| {
            let files = (0..others).fold(agentci_source::MemoryFiles::default(), |files, number| {
                files.with(format!("us/__files/{number}.json"), "")
            });
            let files = files.with("us/__files/slips.json", "");
            let (root, agent) = (Path::new(""), Path::new("us"));
            AnswerFolders { files: &files, root, agent, folder: agent }.near("slip.json")
        };
        assert_eq!(meant(MOST_LOOKED_AT - 1).as_deref(), Some("slips.json"));
        assert_eq!(meant(MOST_LOOKED_AT), None);
    }

    #[test]
    fn detects_paths_outside_the_root() {
        for (folder, path, out) in [
            ("tests", "tests/us/__files/a", false),
            ("tests", "other/a", true),
            ("tests", "../a", true),
            (".", "us/a", false),
            (".", "../a", true),
            ("..", "a", false),
            ("..", "../uk/a", false),
            ("..", "../../a", true),
            ("/t", "/t/us/a", false),
            ("/t", "/etc/a", true),
            ("t", "/t/a", true),
        ] {
            assert_eq!(leads_out(Path::new(folder), Path::new(path)), out, "{folder} {path}");
        }
    }
}
