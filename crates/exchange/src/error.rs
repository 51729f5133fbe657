//! Errors of an exchange.

use std::time::Duration;

use agentci_source::print_duration;
use agentci_wire::http::HttpError;

/// Why an exchange failed. A status code is not an error here: the driver interprets it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ExchangeError {
    /// The request is invalid.
    #[error("{0}")]
    Unsendable(String),
    /// The server could not be reached.
    #[error("{0}")]
    Unreachable(String),
    /// The connection broke before the end of the answer.
    #[error("{0}")]
    Broken(String),
    /// The answer was not complete in time.
    #[error("the answer was not complete within {}", print_duration(*after))]
    Timeout {
        /// The limit.
        after: Duration,
    },
    /// The answer, or one of its events, exceeds the size limit.
    #[error("{0}")]
    TooLarge(String),
    /// The answer is compressed, which is not supported.
    #[error("the answer is compressed (`content-encoding: {0}`), but was requested uncompressed")]
    Compressed(String),
    /// The request does not match the recording.
    #[error(transparent)]
    Mismatch(#[from] MismatchError),
}

/// How a run differs from its recording.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MismatchError {
    /// Another request was recorded.
    #[error(
        "request {number} differs from the recording: at {path} the recording has {recorded}, this run sent {sent}"
    )]
    Differs {
        /// The number of the request, from 1.
        number: usize,
        /// The first location where the two differ.
        path: String,
        /// What was recorded there.
        recorded: String,
        /// What is sent now.
        sent: String,
    },
    /// There are no more requests in the recording.
    #[error("request {number} was not recorded: the recording has {} before it", requests(number - 1))]
    NoMore {
        /// The number of the request, from 1.
        number: usize,
    },
    /// The rest of the answer was not read when it was recorded.
    #[error("the answer to request {number} was not recorded beyond this point")]
    NotReadOn {
        /// The number of the request, from 1.
        number: usize,
    },
}

impl ExchangeError {
    /// The help, if there is any.
    pub fn help(&self) -> Option<&'static str> {
        matches!(self, ExchangeError::Mismatch(_)).then_some("record again with `agentci record`")
    }
}

impl From<HttpError> for ExchangeError {
    fn from(error: HttpError) -> Self {
        let words = error.to_string();
        match error {
            HttpError::Url(_) | HttpError::Header(_) | HttpError::Client(_) | HttpError::Certificate(_) => {
                ExchangeError::Unsendable(words)
            }
            HttpError::Connect { .. } => ExchangeError::Unreachable(words),
            HttpError::Broken(_) | HttpError::Redirects | HttpError::Timeout => ExchangeError::Broken(words),
            HttpError::TooLarge(_) => ExchangeError::TooLarge(words),
        }
    }
}

fn requests(count: usize) -> String {
    match count {
        0 => "none".into(),
        1 => "only the one".into(),
        count => format!("only the {count}"),
    }
}
