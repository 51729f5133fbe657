//! Errors of scripts.

use std::time::Duration;

/// An error of a script file or of a call. Lines and columns are counted from 1, in the file as it is written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ScriptError {
    /// The file has a syntax error.
    #[error("{message}")]
    Syntax {
        /// The line of the error.
        line: u32,
        /// The column of the error.
        column: u32,
        /// The description of the error.
        message: String,
    },
    /// The file has no function of this name.
    #[error("function `{function}` does not exist")]
    NoFunction {
        /// The name of the missing function.
        function: String,
        /// The names of the functions in the file.
        known: Vec<String>,
    },
    /// The function threw an exception.
    #[error("{message}")]
    Thrown {
        /// The thrown value as text.
        message: String,
        /// The line and column of the exception.
        place: Option<(u32, u32)>,
    },
    /// The function exceeded its time limit.
    #[error("it timed out after {0:?}")]
    TooLong(Duration),
    /// The function exceeded its memory limit, in bytes.
    #[error("it exceeded the memory limit of {} MB", .0 / (1024 * 1024))]
    TooMuchMemory(usize),
    /// The function returned a value that cannot be represented as JSON.
    #[error("it returned {0}, which cannot be represented as JSON")]
    NotJson(String),
    /// The engine cannot run functions.
    #[error("functions cannot be run: {0}")]
    Engine(String),
}
