//! Results that are not what the protocol says.

/// A result that is not what the protocol says.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the answer to `{method}` is malformed: {reason}")]
pub struct Malformed {
    /// What was asked.
    pub method: String,
    /// What is wrong.
    pub reason: String,
}

impl Malformed {
    /// The result of `method` is wrong for this reason.
    pub fn new(method: &str, reason: &str) -> Self {
        Self { method: method.to_owned(), reason: reason.to_owned() }
    }
}
