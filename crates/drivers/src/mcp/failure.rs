//! Failures of an MCP server, in a form that can be recorded.

use std::time::Duration;

use agentci_mcp::McpError;
use serde::{Deserialize, Serialize};

use crate::DriveError;

/// A failure of the server.
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
    /// It exited, or the connection broke.
    Left,
    /// It returned an error, or requested something that is not supported.
    Refused,
    /// It violates the protocol.
    Protocol,
    /// It took too long.
    Timeout {
        /// The limit.
        after_us: u64,
    },
}

impl McpFailure {
    /// The failure for an error of the client. Until the server is `reached`, HTTP errors mean that it is unreachable.
    pub(super) fn of(error: &McpError, reached: bool, limit: Duration) -> Self {
        let kind = match error {
            McpError::NotStarted(_) => FailureKind::NotStarted,
            McpError::Http(_) if !reached => FailureKind::Unreachable,
            McpError::Died { .. } | McpError::Http(_) | McpError::Cut | McpError::Closed => FailureKind::Left,
            // Noise on its output is the likely reason of a timeout.
            McpError::TimedOut { noise: None, .. } => {
                FailureKind::Timeout { after_us: u64::try_from(limit.as_micros()).unwrap_or(u64::MAX) }
            }
            McpError::Rpc(_)
            | McpError::NoAnswer { .. }
            | McpError::Status { .. }
            | McpError::Unauthorized(_)
            | McpError::SessionLost => FailureKind::Refused,
            McpError::TimedOut { .. }
            | McpError::Malformed { .. }
            | McpError::NotOffered(_)
            | McpError::NoCommonVersion { .. }
            | McpError::TooMuch { .. } => FailureKind::Protocol,
        };
        let help = match error {
            McpError::Rpc(error) if error.code == -32602 => "compare the request with the output of `mcp:list`",
            McpError::Rpc(_) | McpError::Status { .. } | McpError::SessionLost => "the server's log may say more",
            _ => error.help().unwrap_or("check what the server sends: it does not follow the protocol"),
        };
        Self { kind, message: error.to_string(), help: help.into() }
    }

    /// Whether the failure is an answer of the server.
    pub(super) fn is_answer(&self) -> bool {
        self.kind == FailureKind::Refused
    }

    /// The failure for a recording that cannot be read.
    pub(super) fn unreadable(error: &str) -> Self {
        let message = format!("the recorded answer cannot be read: {error}");
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
