//! How a child ends.

use std::io;
use std::os::unix::process::ExitStatusExt as _;
use std::process::ExitStatus;
use std::time::Duration;

/// Why the output of a child could not be read.
#[derive(Debug, thiserror::Error)]
pub enum PrintError {
    /// It exceeds the size limit.
    #[error("it printed more than {} MiB", .0 >> 20)]
    TooMuch(usize),
    /// The pipe broke.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// How long a child may take to exit.
#[derive(Debug, Clone, Copy)]
pub struct Grace {
    /// Before it receives `SIGTERM`.
    pub before_asking: Duration,
    /// Before it receives `SIGKILL`.
    pub before_killing: Duration,
}

/// How a child ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ending {
    /// Its exit, if known.
    pub exit: Option<Exit>,
    /// The last lines of its standard error.
    pub stderr_tail: Vec<String>,
}

/// How a process exited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// With an exit code.
    Code(i32),
    Signal(i32),
}

impl std::fmt::Display for Exit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Exit::Code(code) => write!(f, "exit code {code}"),
            Exit::Signal(signal) => write!(f, "signal {signal}"),
        }
    }
}

impl From<ExitStatus> for Exit {
    fn from(status: ExitStatus) -> Self {
        status.code().map_or_else(|| Exit::Signal(status.signal().unwrap_or_default()), Exit::Code)
    }
}
