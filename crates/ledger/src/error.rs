//! Why the ledger could not do its work.

use std::io;
use std::path::PathBuf;

use agentci_verdict::EventError;

/// Why something could not be written or read.
#[derive(Debug, thiserror::Error)]
// Users of the library handle this error, and none of our crates matches its variants.
#[non_exhaustive]
pub enum LedgerError {
    /// The disk refused; the message names the path.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// Every name for a run begun in this second is in use.
    #[error("no free folder name left for `{}`", .0.display())]
    NoFreeName(PathBuf),
    /// A file name that would lead out of the run folder.
    #[error("`{0}` is not a name for a file inside the run folder")]
    Outside(String),
    /// An event without a stored form.
    #[error("can not write an event to `{}`", path.display())]
    Event {
        /// The journal.
        path: PathBuf,
        /// What is wrong with the event.
        source: EventError,
    },
}
