//! Why a server gave no result, in a form that a recording can keep.

use std::time::Duration;

use agentci_mcp::Error;
use serde::{Deserialize, Serialize};

use crate::DriveError;

/// Why a server gave no result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct McpFailure {
    kind: FailureKind,
    pub(super) message: String,
    help: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum FailureKind {
    /// Its program did not start.
    NotStarted,
    /// It could not be reached.
    Unreachable,
    /// It left, or the connection to it broke.
    Left,
    /// It says no, or wants what it can not have.
    Refused,
    /// It does not speak the protocol.
    Protocol,
    /// It took too long.
    Timeout {
        /// How long it could have taken.
        after_us: u64,
    },
}

impl McpFailure {
    /// What an error of the client comes to. Before the server was `reached`, what breaks is the way to it.
    pub(super) fn of(error: &Error, reached: bool, limit: Duration) -> Self {
        let kind = match error {
            Error::NotStarted(_) => FailureKind::NotStarted,
            Error::Http(_) if !reached => FailureKind::Unreachable,
            Error::Died { .. } | Error::Http(_) | Error::Cut | Error::Closed => FailureKind::Left,
            // With noise on its output, that is the likely reason.
            Error::TimedOut { noise: None, .. } => {
                FailureKind::Timeout { after_us: u64::try_from(limit.as_micros()).unwrap_or(u64::MAX) }
            }
            Error::Rpc(_)
            | Error::NoAnswer { .. }
            | Error::Status { .. }
            | Error::Unauthorized(_)
            | Error::SessionLost => FailureKind::Refused,
            Error::TimedOut { .. }
            | Error::Malformed { .. }
            | Error::NotOffered(_)
            | Error::NoCommonVersion { .. }
            | Error::TooMuch { .. } => FailureKind::Protocol,
        };
        let help = match error {
            Error::Rpc(error) if error.code == -32602 => "compare what is asked for with what `mcp:list` shows",
            Error::Rpc(_) | Error::Status { .. } | Error::SessionLost => "the server's log may say more",
            _ => error.help().unwrap_or("look at what the server sends: it is not what the protocol describes"),
        };
        Self { kind, message: error.to_string(), help: help.into() }
    }

    /// Whether the server said so, rather than nothing.
    pub(super) fn is_answer(&self) -> bool {
        self.kind == FailureKind::Refused
    }

    /// A recording that can not be read.
    pub(super) fn unreadable(error: &str) -> Self {
        let message = format!("the recorded answer can not be read: {error}");
        Self { kind: FailureKind::Protocol, message, help: "record the case again: `agentci record`".into() }
    }
}

impl From<McpFailure> for DriveError {
    fn from(failure: McpFailure) -> Self {
        let McpFailure { kind, message, help } = failure;
        match kind {
            FailureKind::NotStarted => DriveError::NotStarted(message),
            FailureKind::Unreachable => DriveError::NoServer(message),
            FailureKind::Left => DriveError::Transport(std::io::Error::other(message)),
            FailureKind::Refused => DriveError::Refused { message, help },
            FailureKind::Protocol => DriveError::Protocol { message, help },
            FailureKind::Timeout { after_us } => DriveError::Timeout { after: Duration::from_micros(after_us) },
        }
    }
}
