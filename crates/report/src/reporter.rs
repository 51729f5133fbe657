//! The trait of reports.

use std::io;

use agentci_verdict::RunEvent;

use crate::SharedRuns;

/// A consumer of run events.
pub trait Reporter {
    /// Offers the runs that are collected for all reports, before the first event: each event is added to them before the
    /// report receives it. A report without them collects its own.
    fn share(&mut self, _runs: &SharedRuns) {}

    /// Handles an event.
    fn on_event(&mut self, event: &RunEvent) -> Result<(), ReportError>;

    /// Passes the current Unix time in milliseconds while nothing happens, for reports that show elapsed time.
    fn on_tick(&mut self, _unix_ms: u64) {}

    /// Writes everything that is still buffered; no more events follow.
    fn finish(&mut self) -> Result<(), ReportError> {
        Ok(())
    }
}

/// The output of a report that is written in one piece, once it is complete.
pub type ReportOutput = Box<dyn FnMut(&[u8]) -> io::Result<()>>;

/// Why a report could not be written.
#[derive(Debug, thiserror::Error)]
// Users of the library handle this error; no crate of this workspace matches on its variants.
#[non_exhaustive]
pub enum ReportError {
    /// The output failed.
    #[error("cannot write the {report} report: {source}")]
    Write {
        /// The name of the report.
        report: &'static str,
        /// The error of the writer.
        source: io::Error,
    },
}

impl ReportError {
    /// Whether the reader closed the pipe, which is not a failure.
    pub fn is_broken_pipe(&self) -> bool {
        matches!(self, ReportError::Write { source, .. } if source.kind() == io::ErrorKind::BrokenPipe)
    }
}
