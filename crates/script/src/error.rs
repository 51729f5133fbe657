//! What can go wrong with a file of functions.

use std::time::Duration;

/// What can go wrong with a file of functions. Lines and columns count from one, in the file as it was written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ScriptError {
    /// The file can not be understood.
    #[error("{message}")]
    Syntax {
        /// The line.
        line: u32,
        /// The column in it.
        column: u32,
        /// What is wrong there.
        message: String,
    },
    /// The file has no such function.
    #[error("there is no function `{function}`")]
    NoFunction {
        /// The one asked for.
        function: String,
        /// Those that there are.
        known: Vec<String>,
    },
    /// The function threw.
    #[error("{message}")]
    Thrown {
        /// What it threw, as a text.
        message: String,
        /// Line and column where it did.
        place: Option<(u32, u32)>,
    },
    /// It did not end in time.
    #[error("it was stopped after {0:?}")]
    TooLong(Duration),
    /// It wanted more memory than it may have, in bytes.
    #[error("it was stopped when it wanted more than {} MB of memory", .0 / (1024 * 1024))]
    TooMuchMemory(usize),
    /// It returned what JSON can not say.
    #[error("it returned {0}, which JSON can not say")]
    NotJson(String),
    /// Functions can not be run at all.
    #[error("functions can not be run: {0}")]
    Engine(String),
}
