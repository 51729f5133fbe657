//! Retries when a model's server is busy: at most twice, and only while the request has time left.

use std::time::Duration;

use agentci_trace::Moment;

use crate::DriveError;
use agentci_exchange::ExchangeError;

/// The maximum number of retries.
pub(super) const RETRIES: u32 = 2;
/// The default wait before the first retry.
const FIRST_WAIT: Duration = Duration::from_millis(500);

/// Why a request has no answer.
#[derive(Debug)]
pub(super) enum AnswerError {
    /// The request may be retried.
    Busy {
        /// The error if there are no retries left.
        error: DriveError,
        /// The wait that the server asks for.
        wait: Option<Duration>,
        at: Moment,
    },
    /// The request is not retried.
    Final(DriveError),
}

impl AnswerError {
    /// The error for a status; 429 and 5xx may be retried.
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

/// Whether an error that a provider reports within a stream may be retried.
pub(super) fn kind_may_pass(kind: &str) -> bool {
    ["overloaded_error", "rate_limit_error", "rate_limit_exceeded", "api_error", "server_error"].contains(&kind)
}

/// The wait before a retry, counted from 1.
pub(super) fn pause(time: u32, wanted: Option<Duration>) -> Duration {
    wanted.unwrap_or_else(|| FIRST_WAIT * 2_u32.saturating_pow(time.saturating_sub(1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn retry_delay_grows() {
        assert_eq!([pause(1, None), pause(2, None)], [Duration::from_millis(500), Duration::from_secs(1)]);
        assert_eq!(pause(2, Some(Duration::ZERO)), Duration::ZERO);
    }
}
