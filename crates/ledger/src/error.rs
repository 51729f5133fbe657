//! The errors of the ledger.

use std::io;
use std::path::PathBuf;

use agentci_verdict::EventError;

/// Why something could not be written or read.
#[derive(Debug, thiserror::Error)]
// Users of the library handle this error; no crate of this workspace matches on its variants.
#[non_exhaustive]
pub enum LedgerError {
    /// An I/O error; the message names the path.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// All names for runs started in this second are in use.
    #[error("no free folder name left for `{}`", .0.display())]
    NoFreeName(PathBuf),
    /// A file name that points outside the run folder.
    #[error("`{0}` is not a name for a file inside the run folder")]
    Outside(String),
    /// An event that cannot be serialized.
    #[error("cannot write an event to `{}`", path.display())]
    Event {
        /// The path of the journal.
        path: PathBuf,
        /// The cause.
        source: EventError,
    },
}
