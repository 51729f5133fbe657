//! Errors of serving routes and of saving recordings.

use std::net::SocketAddr;
use std::path::PathBuf;

use agentci_plan::UnsetVariableError;
use agentci_source::{FileError, Span};

/// Why routes cannot be served, or a recording cannot be saved.
#[derive(Debug, thiserror::Error)]
pub enum RouteError {
    /// The server cannot listen on the address.
    #[error("the address {0} cannot be used: {1}")]
    Address(SocketAddr, #[source] std::io::Error),
    /// Two sessions use the same paths.
    #[error("the paths below `{0}` are already served for another case")]
    Taken(String),
    /// An answer file cannot be read.
    #[error("the answer in `{}` cannot be read: {reason}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        reason: FileError,
        /// Where the suite names it.
        span: Span,
    },
    /// An answer cannot be sent over HTTP.
    #[error("{message}")]
    Answer {
        /// The reason.
        message: String,
        /// Where the suite defines it.
        span: Span,
    },
    /// The address of a live tool cannot be resolved.
    #[error("the live address of `{name}` cannot be resolved: {reason}")]
    Live {
        /// The variable with its base URL.
        name: String,
        reason: UnsetVariableError,
        /// Where the suite names it.
        span: Span,
    },
    /// The suite cannot be updated with the recorded fixtures.
    #[error("`{}` cannot be changed: {reason}", path.display())]
    Suite {
        /// The file.
        path: PathBuf,
        reason: String,
    },
    /// A file cannot be written.
    #[error(transparent)]
    Write(#[from] std::io::Error),
}
