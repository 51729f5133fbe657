//! A report that grows line by line, handed on in one piece.

use std::io::Write;

use agentci_verdict::RunEvent;

use crate::{Buffer, ReportError, ReportOutput, Reporter};

/// Keeps what a report writes until it is complete, so that its file is complete or absent.
pub(crate) struct Whole {
    name: &'static str,
    reporter: Box<dyn Reporter>,
    written: Buffer,
    output: ReportOutput,
}

impl Whole {
    /// The report that `make` makes of a place to write to, under the name its errors are told with.
    pub(crate) fn new(
        name: &'static str,
        output: ReportOutput,
        make: impl FnOnce(Box<dyn Write>) -> Box<dyn Reporter>,
    ) -> Self {
        let written = Buffer::default();
        Self { name, reporter: make(Box::new(written.clone())), written, output }
    }
}

impl Reporter for Whole {
    fn on_event(&mut self, event: &RunEvent) -> Result<(), ReportError> {
        self.reporter.on_event(event)
    }

    fn finish(&mut self) -> Result<(), ReportError> {
        self.reporter.finish()?;
        (self.output)(&self.written.take()).map_err(|source| ReportError::Write { report: self.name, source })
    }
}
