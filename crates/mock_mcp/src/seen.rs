//! What a server saw, for whoever observes it.

use serde_json::Value;

/// Something that a server saw.
#[derive(Debug, Clone, PartialEq)]
pub enum Seen {
    /// A tool was called.
    Call {
        /// Its name.
        tool: String,
        /// With what.
        arguments: Value,
        /// What it gave, or complained of.
        outcome: Result<Value, String>,
    },
    /// Something was asked for that the script does not have.
    Miss {
        /// What is missing, in one sentence.
        message: String,
    },
}
