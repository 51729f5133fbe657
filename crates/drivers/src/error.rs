//! Why an agent could not go on.

use std::time::Duration;

use agentci_plan::UnsetVariableError;
use agentci_process::{Exit, SpawnError};
use agentci_source::print_duration;

use crate::Stopped;
use agentci_exchange::ExchangeError;

/// Why a turn did not come to its end.
#[derive(Debug, thiserror::Error)]
pub enum DriveError {
    /// The agent could not be started or reached.
    #[error("the agent could not be started: {0}")]
    Unreachable(#[from] SpawnError),
    /// A server that is ours to start did not.
    #[error("the server could not be started: {0}")]
    NotStarted(String),
    /// The server could not be reached, or the request can not be sent.
    #[error("{0}")]
    NoServer(String),
    /// The server answered that it will not.
    #[error("{message}")]
    Refused {
        /// The status and what it says.
        message: String,
        /// What to do about it.
        help: String,
    },
    /// The server has too many requests and may take this one later.
    #[error("{message}")]
    Busy {
        /// The status and what it says.
        message: String,
        /// What to do about it.
        help: String,
    },
    /// A request took too long.
    #[error("the agent was not done within {}", print_duration(*after))]
    Timeout {
        /// How long it could have taken.
        after: Duration,
    },
    /// What is sent is not what was recorded.
    #[error("{0}")]
    NotRecorded(String),
    /// The agent does not speak the protocol.
    #[error("{message}")]
    Protocol {
        /// What is wrong, with the place in the stream and what was seen.
        message: String,
        /// What to do about it.
        help: String,
    },
    /// The agent left before its result came.
    #[error("{}", exited(*exit))]
    Exited {
        /// How it left; nothing when it only closed its output.
        exit: Option<Exit>,
        /// Whether it left with an answer unread.
        while_answered: bool,
    },
    /// The agent left, and said by its exit that it failed.
    #[error("the agent ended with {exit}")]
    Failed {
        /// How it left.
        exit: Exit,
    },
    /// The agent itself gave up.
    #[error("the agent gave up: {0}")]
    AgentError(String),
    /// A plain program printed nothing.
    #[error("the agent printed nothing")]
    Silent,
    /// A function of the agent's own failed.
    #[error("{message}")]
    Function {
        /// The file, the line and what went wrong.
        message: String,
    },
    /// A pipe or socket broke in a way that has no better name.
    #[error("the connection to the agent broke: {0}")]
    Transport(#[from] std::io::Error),
    /// This kind of target can not do what the turn asks.
    #[error("{0}")]
    Unsupported(String),
    /// The watcher or the tool host stopped it, and knows why.
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

    /// Whether the same turn may succeed later although nothing is changed: the agent could not be reached or was busy.
    pub fn may_pass(&self) -> bool {
        matches!(
            self,
            DriveError::Unreachable(_) | DriveError::NotStarted(_) | DriveError::NoServer(_) | DriveError::Busy { .. }
        )
    }
}

/// Why an agent was not opened.
#[derive(Debug, thiserror::Error)]
pub(crate) enum OpenError {
    /// The suite's fault: a variable without a value.
    #[error(transparent)]
    Suite(#[from] UnsetVariableError),
    #[error(transparent)]
    Agent(#[from] DriveError),
}

/// What comes of driving an agent, or why nothing does.
pub(crate) type DriveResult<T = ()> = Result<T, DriveError>;

impl From<Stopped> for DriveError {
    fn from(_: Stopped) -> Self {
        DriveError::Stopped
    }
}

/// What is shown of an answer, on a line of its own.
pub(crate) fn shown(text: &str) -> String {
    let text = text.trim();
    if text.is_empty() { String::new() } else { format!("\nit says: {}", shortened(text)) }
}

/// As much of an answer as a message shows.
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
                DriveError::protocol(words, "nothing a user waits for is that large: look at what the server sends")
            }
            ExchangeError::Compressed(_) => DriveError::protocol(
                words,
                "agentci sends `accept-encoding: identity`: turn off compression in the server or in the proxy before it",
            ),
            ExchangeError::Mismatch(_) => DriveError::NotRecorded(words),
        }
    }
}
