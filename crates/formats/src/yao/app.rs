//! A Yao application: its folder and its environment variables.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use agentci_plan::EnvironmentFile;
use agentci_source::{FileKind, Files, Node, join};

use super::{environment, json};
use crate::YaoOptions;
use crate::document::Loading;

/// Maximum size of an application file in bytes.
pub(super) const SIZE_LIMIT: u64 = 10 * 1024 * 1024;

pub(super) struct App<'a> {
    pub(super) files: &'a dyn Files,
    pub(super) options: &'a YaoOptions,
    pub(super) root: PathBuf,
    pub(super) environment: Option<Arc<EnvironmentFile>>,
}

impl<'a> App<'a> {
    /// Opens the application in a folder. Variables are read from the file that `options` names, else from its `.env`.
    pub(super) fn open(options: &'a YaoOptions, root: PathBuf, loading: &mut Loading<'a>) -> Self {
        let files = loading.files;
        let own = join(&root, ".env");
        let path = match &options.env {
            Some(named) => Some(named.clone()),
            None => (files.kind(&own) == Some(FileKind::File)).then_some(own),
        };
        let environment = path.and_then(|path| environment::read(&path, loading));
        Self { files, options, root, environment }
    }

    /// The value of a variable at load time: from the application's file, else from the environment.
    pub(super) fn variable(&self, name: &str) -> Option<String> {
        let own = self.environment.iter().flat_map(|file| &file.values).rev().find(|(known, _)| known == name);
        own.map(|(_, value)| value.clone()).or_else(|| self.options.environment.and_then(|lookup| lookup(name)))
    }

    /// Parses a file of JSON with comments. `None` if it cannot be read; the error is reported.
    pub(super) fn read_json(path: &Path, loading: &mut Loading<'_>) -> Option<Node> {
        let text = loading.read_text(path, SIZE_LIMIT);
        loading.report(text.and_then(|(file, text)| json::document(&text, file)))
    }
}
