//! Failures of a scripted model, on purpose.

use std::time::Duration;

/// A failure of an answer.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelFailure {
    /// What happens.
    pub kind: ModelFailureKind,
    /// The share of matching requests that fail, chosen at random from the seed.
    pub rate: f64,
    /// The maximum number of failures.
    pub times: Option<u32>,
}

/// The kinds of failures of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ModelFailureKind {
    /// An error in the provider's own format.
    Status {
        /// The HTTP status.
        status: u16,
        /// The delay before a retry.
        retry_after: Option<Duration>,
        /// The error message.
        message: Option<String>,
    },
    /// An answer that is not JSON.
    Malformed,
    /// An answer that is cut off, together with its connection.
    Cut,
    /// No answer.
    Hang,
}
