//! What a report is.

use std::io;

use agentci_verdict::RunEvent;

/// A consumer of run events.
pub trait Reporter {
    /// Takes note of an event.
    fn on_event(&mut self, event: &RunEvent) -> Result<(), ReportError>;

    /// So late is it now, in Unix milliseconds, while nothing happens: for those that show how long it takes.
    fn on_tick(&mut self, _unix_ms: u64) {}

    /// No more events come: what is still held back is written.
    fn finish(&mut self) -> Result<(), ReportError> {
        Ok(())
    }
}

/// Where a report goes that is written in one piece, once it is complete.
pub type ReportOutput = Box<dyn FnMut(&[u8]) -> io::Result<()>>;

/// Why a report could not be made.
#[derive(Debug, thiserror::Error)]
// Users of the library handle this error, and none of our crates matches its variants.
#[non_exhaustive]
pub enum ReportError {
    /// Its text could not be handed on.
    #[error("can not write the {report} report: {source}")]
    Write {
        /// The report.
        report: &'static str,
        /// What the writer said.
        source: io::Error,
    },
}

impl ReportError {
    /// Whether the reader at the other end went away, which is its right and no reason to complain.
    pub fn is_broken_pipe(&self) -> bool {
        matches!(self, ReportError::Write { source, .. } if source.kind() == io::ErrorKind::BrokenPipe)
    }
}
