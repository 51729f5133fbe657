//! Commands of child processes.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::PathBuf;
use std::process::Stdio;

use tokio::process::Child;

use super::StandardStreams;
use crate::descendants;

/// The command of a child process.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProcessCommand {
    /// The program: a path, or a name to look up on `PATH`.
    pub program: OsString,
    pub arguments: Vec<OsString>,
    /// The working folder. Default: that of this process.
    pub folder: Option<PathBuf>,
    /// Environment variables besides the inherited ones.
    pub environment: Vec<(String, String)>,
}

/// Why a program did not start.
#[derive(Debug, thiserror::Error)]
pub enum SpawnError {
    /// The program does not exist.
    #[error("program `{0}` not found")]
    NotFound(String),
    /// The working folder does not exist.
    #[error("the working folder `{0}` does not exist")]
    NoFolder(String),
    /// The program is not executable.
    #[error("`{0}` is not executable")]
    NotExecutable(String),
    /// Anything else.
    #[error("`{program}` could not be started: {source}")]
    Other {
        program: String,
        /// The error of the system.
        source: io::Error,
    },
}

impl ProcessCommand {
    /// Starts the program with pipes and in a separate process group; its descendants inherit the tag.
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

    /// The error for any other failure of the system.
    pub(super) fn failed(&self, source: io::Error) -> SpawnError {
        SpawnError::Other { program: self.shown(), source }
    }

    fn shown(&self) -> String {
        self.program.to_string_lossy().into_owned()
    }
}
