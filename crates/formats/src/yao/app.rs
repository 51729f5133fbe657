//! An application: where its files are, and what its variables say.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use agentci_plan::EnvironmentFile;
use agentci_source::{Diagnostic, Diagnostics, Files, Kind, Sources, Span, join};

use super::environment;
use super::json;
use crate::YaoOptions;

/// The most bytes a file of an application may have.
pub(super) const SIZE_LIMIT: u64 = 10 * 1024 * 1024;

/// An application of assistants.
pub(super) struct App<'a> {
    pub(super) files: &'a dyn Files,
    pub(super) options: &'a YaoOptions,
    /// Its folder.
    pub(super) root: PathBuf,
    /// Its file of variables.
    pub(super) environment: Option<Arc<EnvironmentFile>>,
}

impl<'a> App<'a> {
    /// Opens the application in a folder. Its file of variables is the one that was named, else its own `.env`.
    pub(super) fn open(
        files: &'a dyn Files,
        options: &'a YaoOptions,
        root: PathBuf,
        sources: &mut Sources,
        problems: &mut Diagnostics,
    ) -> Self {
        let own = join(&root, ".env");
        let path = match &options.env {
            Some(named) => Some(named.clone()),
            None => (files.kind(&own) == Some(Kind::File)).then_some(own),
        };
        let environment = path.and_then(|path| environment::read(files, sources, &path, problems));
        Self { files, options, root, environment }
    }

    /// The value of a variable, as far as it is known before anything is run.
    pub(super) fn variable(&self, name: &str) -> Option<String> {
        let own = self.environment.iter().flat_map(|file| &file.values).rev().find(|(known, _)| known == name);
        own.map(|(_, value)| value.clone()).or_else(|| self.options.environment.and_then(|lookup| lookup(name)))
    }

    /// The tree of a file: JSON with comments.
    pub(super) fn read_json(&self, sources: &mut Sources, path: &Path) -> Result<agentci_source::Node, Diagnostic> {
        let text = match self.files.read_text(path, SIZE_LIMIT) {
            Ok(text) => text,
            Err(error) => {
                let span = Span::whole(sources.add(path, ""));
                return Err(Diagnostic::error(span, format!("can not read `{}`: {error}", path.display())));
            }
        };
        let text: Arc<str> = text.into();
        let file = sources.add(path, Arc::clone(&text));
        json::document(&text, file)
    }
}
