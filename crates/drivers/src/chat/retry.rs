//! Asking again when a model's server is busy: at most twice, and only while the request has time left.

use std::time::Duration;

use agentci_trace::Moment;

use crate::DriveError;
use agentci_exchange::ExchangeError;

/// How often a request is sent again.
pub(super) const RETRIES: u32 = 2;
/// How long to wait before the first of them, where the server does not say.
const FIRST_WAIT: Duration = Duration::from_millis(500);

/// Why there is no answer.
#[derive(Debug)]
pub(super) enum AnswerError {
    /// It may pass.
    Busy {
        /// What it comes to if it does not.
        error: DriveError,
        /// How long the server wants to be left alone.
        wait: Option<Duration>,
        /// When it said so.
        at: Moment,
    },
    /// It will not.
    Final(DriveError),
}

impl AnswerError {
    /// A status that says no; one of a server that is busy or in trouble may pass.
    pub(super) fn of_status(status: u16, error: DriveError, wait: Option<Duration>, at: Moment) -> Self {
        if status == 429 || status >= 500 { AnswerError::Busy { error, wait, at } } else { AnswerError::Final(error) }
    }
}

impl From<DriveError> for AnswerError {
    fn from(error: DriveError) -> Self {
        AnswerError::Final(error)
    }
}

impl From<ExchangeError> for AnswerError {
    fn from(error: ExchangeError) -> Self {
        AnswerError::Final(error.into())
    }
}

/// The same of an error that a provider names in the middle of a stream.
pub(super) fn kind_may_pass(kind: &str) -> bool {
    ["overloaded_error", "rate_limit_error", "rate_limit_exceeded", "api_error", "server_error"].contains(&kind)
}

/// How long to wait before a request is sent again, the first time being 1.
pub(super) fn pause(time: u32, wanted: Option<Duration>) -> Duration {
    wanted.unwrap_or_else(|| FIRST_WAIT * 2_u32.saturating_pow(time.saturating_sub(1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow() {
        assert_eq!([pause(1, None), pause(2, None)], [Duration::from_millis(500), Duration::from_secs(1)]);
        assert_eq!(pause(2, Some(Duration::ZERO)), Duration::ZERO);
    }
}
