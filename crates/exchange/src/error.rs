//! Why an exchange did not come to its end.

use std::time::Duration;

use agentci_source::print_duration;
use agentci_wire::http::HttpError;

/// Why an exchange did not come to its end. A status code is no error here: the driver knows what it means.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ExchangeError {
    /// The request is such that it can not be sent.
    #[error("{0}")]
    Unsendable(String),
    /// Nobody could be reached.
    #[error("{0}")]
    Unreachable(String),
    /// The connection broke before the end of the answer.
    #[error("{0}")]
    Broken(String),
    /// The answer was not complete in time.
    #[error("the answer was not complete within {}", print_duration(*after))]
    Timeout {
        /// How long it could have taken.
        after: Duration,
    },
    /// The answer, or an event of it, is larger than it may be.
    #[error("{0}")]
    TooLarge(String),
    /// The answer is in a form that we cannot read.
    #[error("the answer is compressed (`content-encoding: {0}`), and was asked for uncompressed")]
    Compressed(String),
    /// The recording is one of something else.
    #[error(transparent)]
    Mismatch(#[from] MismatchError),
}

/// Where a run and its recording part.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MismatchError {
    /// Another request was recorded.
    #[error(
        "request {number} is not the one that was recorded: at {path} the recording has {recorded}, this run sent {sent}"
    )]
    Differs {
        /// Which request, from 1.
        number: usize,
        /// The first place where the two differ.
        path: String,
        /// What was recorded there.
        recorded: String,
        /// What is sent now.
        sent: String,
    },
    /// There are no more requests in the recording.
    #[error("request {number} was not recorded: the recording has {} before it", requests(number - 1))]
    NoMore {
        /// Which request, from 1.
        number: usize,
    },
    /// What came after this was not read when it was recorded.
    #[error("the answer to request {number} was not recorded beyond this point")]
    NotReadOn {
        /// Which request, from 1.
        number: usize,
    },
}

impl ExchangeError {
    /// What to do about it, where that is known.
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
