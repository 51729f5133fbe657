//! Why routes cannot be served, or what was recorded not be written.

use std::net::SocketAddr;
use std::path::PathBuf;

use agentci_plan::UnsetVariableError;
use agentci_source::{FileError, Span};

/// Why routes can not be served, or what was recorded not be written.
#[derive(Debug, thiserror::Error)]
pub enum RouteError {
    /// The address can not be had.
    #[error("the address {0} can not be used: {1}")]
    Address(SocketAddr, #[source] std::io::Error),
    /// Two sessions want the same paths.
    #[error("the paths below `{0}` are served for another case already")]
    Taken(String),
    /// The file of an answer can not be read.
    #[error("the answer in `{}` can not be read: {reason}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: FileError,
        /// Where the suite names it.
        span: Span,
    },
    /// An answer can not be sent over HTTP.
    #[error("{message}")]
    Answer {
        /// Why.
        message: String,
        /// Where it stands.
        span: Span,
    },
    /// The address of a live tool can not be made.
    #[error("the live address of `{name}` can not be made: {reason}")]
    Live {
        /// The variable that leads to it.
        name: String,
        /// Why.
        reason: UnsetVariableError,
        /// Where the suite names it.
        span: Span,
    },
    /// What was recorded has no place in the suite.
    #[error("`{}` can not be changed: {reason}", path.display())]
    Suite {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// A file can not be written.
    #[error(transparent)]
    Write(#[from] std::io::Error),
}
