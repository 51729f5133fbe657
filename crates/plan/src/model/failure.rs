//! What goes wrong with the answers of a scripted model, on purpose.

use std::time::Duration;

/// What goes wrong with an answer.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelFailure {
    /// What happens.
    pub kind: ModelFailureKind,
    /// For which share of the requests that fit, by a draw that the seed decides.
    pub rate: f64,
    /// How often at most.
    pub times: Option<u32>,
}

/// How an answer goes wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ModelFailureKind {
    /// An error in the provider's own shape.
    Status {
        /// The HTTP status.
        status: u16,
        /// When to try again.
        retry_after: Option<Duration>,
        /// Its words.
        message: Option<String>,
    },
    /// An answer that is no JSON.
    Malformed,
    /// An answer that breaks off, and the connection with it.
    Cut,
    /// No answer at all.
    Hang,
}
