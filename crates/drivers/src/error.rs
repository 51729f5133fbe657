//! Errors of drivers.

use std::time::Duration;

use agentci_plan::UnsetVariableError;
use agentci_process::{Exit, SpawnError};
use agentci_source::print_duration;

use crate::StoppedError;
use agentci_exchange::ExchangeError;

/// Why a turn failed.
#[derive(Debug, thiserror::Error)]
pub enum DriveError {
    /// The agent could not be started or reached.
    #[error("the agent could not be started: {0}")]
    Unreachable(#[from] SpawnError),
    /// A server that agentci starts did not start.
    #[error("the server could not be started: {0}")]
    NotStarted(String),
    /// The server could not be reached, or the request cannot be sent.
    #[error("{0}")]
    NoServer(String),
    /// The server refused the request.
    #[error("{message}")]
    Refused {
        /// The status and the server's message.
        message: String,
        /// What to do about it.
        help: String,
    },
    /// The server is overloaded and may accept the request later.
    #[error("{message}")]
    Busy {
        /// The status and the server's message.
        message: String,
        /// What to do about it.
        help: String,
    },
    /// A request took too long.
    #[error("the agent did not finish within {}", print_duration(*after))]
    Timeout {
        /// The limit.
        after: Duration,
    },
    /// The request differs from the recording.
    #[error("{0}")]
    NotRecorded(String),
    /// The agent violates the protocol.
    #[error("{message}")]
    Protocol {
        /// What is wrong, with the position in the stream and an excerpt.
        message: String,
        /// What to do about it.
        help: String,
    },
    /// The agent exited before its result.
    #[error("{}", exited(*exit))]
    Exited {
        /// How it exited; `None` if it only closed its output.
        exit: Option<Exit>,
        /// Whether it exited without reading an answer.
        while_answered: bool,
    },
    /// The agent exited with a failure.
    #[error("the agent ended with {exit}")]
    Failed {
        /// How it exited.
        exit: Exit,
    },
    /// The agent reported an error.
    #[error("the agent reported an error: {0}")]
    AgentError(String),
    /// A plain program printed nothing.
    #[error("the agent printed nothing")]
    Silent,
    /// A hook of the agent failed.
    #[error("{message}")]
    Function {
        /// The file, the line and the error.
        message: String,
    },
    /// Any other error of a pipe or socket.
    #[error("the connection to the agent broke: {0}")]
    Transport(#[from] std::io::Error),
    /// This kind of target does not support what the turn requires.
    #[error("{0}")]
    Unsupported(String),
    /// The watcher or the tool host stopped the turn and reports the reason.
    #[error("stopped")]
    Stopped,
}

impl DriveError {
    pub(crate) fn protocol(message: impl Into<String>, help: impl Into<String>) -> Self {
        DriveError::Protocol { message: message.into(), help: help.into() }
    }

    /// The error for an HTTP status that is not a success.
    pub(crate) fn of_status(status: u16, message: String, help: impl Into<String>) -> Self {
        let help = help.into();
        if status == 429 { DriveError::Busy { message, help } } else { DriveError::Refused { message, help } }
    }

    /// Whether the same turn may succeed on a retry: the agent could not be reached or was busy.
    pub fn may_pass(&self) -> bool {
        matches!(
            self,
            DriveError::Unreachable(_) | DriveError::NotStarted(_) | DriveError::NoServer(_) | DriveError::Busy { .. }
        )
    }
}

/// Why a driver was not opened.
#[derive(Debug, thiserror::Error)]
pub(crate) enum OpenError {
    /// An error of the suite: a variable without a value.
    #[error(transparent)]
    Suite(#[from] UnsetVariableError),
    #[error(transparent)]
    Agent(#[from] DriveError),
}

pub(crate) type DriveResult<T = ()> = Result<T, DriveError>;

impl From<StoppedError> for DriveError {
    fn from(_: StoppedError) -> Self {
        DriveError::Stopped
    }
}

/// An excerpt of an answer on a separate line; empty for an empty answer.
pub(crate) fn shown(text: &str) -> String {
    let text = text.trim();
    if text.is_empty() { String::new() } else { format!("\nit says: {}", shortened(text)) }
}

/// An excerpt of an answer for a message.
pub(crate) fn shortened(text: &str) -> String {
    agentci_text::excerpt(text, 300).into_owned()
}

fn exited(exit: Option<Exit>) -> String {
    match exit {
        Some(exit) => format!("the agent ended with {exit} before its final output"),
        None => "the agent closed its standard output before its final output".into(),
    }
}

impl From<ExchangeError> for DriveError {
    fn from(error: ExchangeError) -> Self {
        let words = error.to_string();
        match error {
            ExchangeError::Unsendable(_) | ExchangeError::Unreachable(_) => DriveError::NoServer(words),
            ExchangeError::Broken(_) => DriveError::Transport(std::io::Error::other(words)),
            ExchangeError::Timeout { after } => DriveError::Timeout { after },
            ExchangeError::TooLarge(_) => {
                DriveError::protocol(words, "an answer should never be that large: check what the server sends")
            }
            ExchangeError::Compressed(_) => DriveError::protocol(
                words,
                "agentci sends `accept-encoding: identity`: turn off compression in the server or its proxy",
            ),
            ExchangeError::Mismatch(_) => DriveError::NotRecorded(words),
        }
    }
}
