//! What to start, and why it did not.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::PathBuf;
use std::process::Stdio;

use tokio::process::Child;

use super::StandardStreams;
use crate::descendants;

/// What to start.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProcessCommand {
    /// The program: a path, or a name to look up on `PATH`.
    pub program: OsString,
    /// Its arguments.
    pub arguments: Vec<OsString>,
    /// Its working folder; ours when absent.
    pub folder: Option<PathBuf>,
    /// Variables beside the inherited ones.
    pub environment: Vec<(String, String)>,
}

/// Why a program did not start.
#[derive(Debug, thiserror::Error)]
pub enum SpawnError {
    /// There is no such program.
    #[error("there is no program `{0}`")]
    NotFound(String),
    /// The folder to start it in is not there.
    #[error("there is no folder `{0}` to start it in")]
    NoFolder(String),
    /// It may not be executed.
    #[error("`{0}` may not be executed")]
    NotExecutable(String),
    /// Anything else.
    #[error("`{program}` could not be started: {source}")]
    Other {
        /// The program.
        program: String,
        /// The system's words.
        source: io::Error,
    },
}

impl ProcessCommand {
    /// Starts it with pipes and in a group of its own; whatever it starts inherits the tag.
    pub(super) fn start(&self, tag: &str) -> Result<Child, SpawnError> {
        let streams = || StandardStreams { input: Stdio::piped(), output: Stdio::piped(), errors: Stdio::piped() };
        match self.start_as(&self.program, tag, streams(), true) {
            // Many machines have only `python3`.
            Err(error) if error.kind() == io::ErrorKind::NotFound && self.program == "python" => {
                self.start_as(OsStr::new("python3"), tag, streams(), true)
            }
            other => other,
        }
        .map_err(|source| self.explain(source))
    }

    pub(super) fn start_as(
        &self,
        program: &OsStr,
        tag: &str,
        streams: StandardStreams,
        own_group: bool,
    ) -> io::Result<Child> {
        let mut prepared = tokio::process::Command::new(program);
        prepared
            .args(&self.arguments)
            .envs(self.environment.iter().map(|(name, value)| (name, value)))
            .env(descendants::TAG, tag)
            .stdin(streams.input)
            .stdout(streams.output)
            .stderr(streams.errors)
            .kill_on_drop(true);
        if own_group {
            prepared.process_group(0);
        }
        if let Some(folder) = &self.folder {
            prepared.current_dir(folder);
        }
        prepared.spawn()
    }

    pub(super) fn explain(&self, source: io::Error) -> SpawnError {
        if let Some(folder) = self.folder.as_ref().filter(|folder| !folder.is_dir()) {
            return SpawnError::NoFolder(folder.display().to_string());
        }
        match source.kind() {
            io::ErrorKind::NotFound => SpawnError::NotFound(self.shown()),
            io::ErrorKind::PermissionDenied => SpawnError::NotExecutable(self.shown()),
            _ => self.failed(source),
        }
    }

    /// What it is when the system's words are all there is to say.
    pub(super) fn failed(&self, source: io::Error) -> SpawnError {
        SpawnError::Other { program: self.shown(), source }
    }

    fn shown(&self) -> String {
        self.program.to_string_lossy().into_owned()
    }
}
