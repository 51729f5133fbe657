//! One folder of a search: what is in it, and what cannot be looked at.

use std::path::Path;

use agentci_source::{Diagnostic, FileError, Unusable};

use crate::Loaded;
use crate::loader::Loader;
use crate::search::{Found, look};

/// How to say that nothing is lost by what cannot be looked at.
const EXCLUDE_IT: &str = "if it holds no suite, add it to `exclude:` in `agentci.yaml` or pass it as `--exclude`";

impl Loader<'_> {
    /// Begins a search in a folder that was named.
    pub(crate) fn start(&mut self, folder: &Path) {
        let Loaded { plan, diagnostics } = &mut self.loaded;
        self.bounds.start(folder, &mut plan.sources, diagnostics);
    }

    /// Looks into a folder. What may hide a suite and cannot be looked at is an error, reported once.
    pub(crate) fn look(&mut self, folder: &Path) -> Found {
        let Loaded { plan, diagnostics } = &mut self.loaded;
        self.bounds.enter(folder, &mut plan.sources, diagnostics);
        let first_time = self.looked_at.insert(folder.to_path_buf());
        let entries = match self.files.list(folder) {
            Ok(entries) => entries,
            // It was there when its parent was listed.
            Err(FileError::Missing) => Vec::new(),
            Err(error) => {
                if first_time {
                    let message = format!("cannot list the folder `{}`: {error}", folder.display());
                    self.error(folder, message, &format!("make it readable; {EXCLUDE_IT}"));
                }
                Vec::new()
            }
        };
        let bounds = &self.bounds;
        let found = look(self.files, folder, entries, |name, is_folder| bounds.leave_out(folder, name, is_folder));
        for (path, why) in found.hidden.iter().filter(|_| first_time) {
            self.report_hidden(path, *why);
        }
        found
    }

    fn report_hidden(&mut self, path: &Path, why: Unusable) {
        let shown = path.display();
        let (message, remedy) = match (why, self.files.link(path)) {
            (Unusable::FolderName, _) => {
                (format!("the name of the folder `{shown}` is not UTF-8, so it is not searched"), "rename it")
            }
            (Unusable::FileName, _) => {
                (format!("the name of the file `{shown}` is not UTF-8, so it is not read"), "rename it")
            }
            (Unusable::Unreachable, Some(target)) => (
                format!("`{shown}` is a link to `{}`, which does not exist", target.display()),
                "fix or remove the link",
            ),
            (Unusable::Unreachable, None) => (format!("`{shown}` cannot be accessed"), "make it readable"),
        };
        let span = self.whole(path);
        self.loaded.diagnostics.push(Diagnostic::error(span, message).help(format!("{remedy}; {EXCLUDE_IT}")));
    }
}
