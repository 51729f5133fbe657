//! How a child ends.

use std::io;
use std::os::unix::process::ExitStatusExt as _;
use std::process::ExitStatus;
use std::time::Duration;

/// Why what a child printed is not known.
#[derive(Debug, thiserror::Error)]
pub enum PrintError {
    /// There was too much of it.
    #[error("it printed more than {} MiB", .0 >> 20)]
    TooMuch(usize),
    /// The pipe broke.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// How long a child may take to go by itself.
#[derive(Debug, Clone, Copy)]
pub struct Grace {
    /// Before it is asked to.
    pub before_asking: Duration,
    /// Before it is made to.
    pub before_killing: Duration,
}

/// How a child ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ending {
    /// Its exit, unless that could not be learnt.
    pub exit: Option<Exit>,
    /// The last lines of its standard error.
    pub stderr_tail: Vec<String>,
}

/// How a process left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// By itself, with a code.
    Code(i32),
    /// By a signal.
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
