//! Buffers the output of reports.

use std::cell::RefCell;
use std::io::{self, Write};
use std::rc::Rc;

use agentci_verdict::RunEvent;

use crate::{ReportError, ReportOutput, Reporter, SharedRuns};

/// A shared buffer that is written in one place and read in another.
#[derive(Debug, Clone, Default)]
pub struct Buffer(Rc<RefCell<Vec<u8>>>);

impl Buffer {
    /// An output that writes to this buffer.
    pub fn output(&self) -> ReportOutput {
        let mut into = self.clone();
        Box::new(move |bytes| into.write_all(bytes))
    }

    /// Takes the bytes written since the last call.
    pub fn take(&self) -> Vec<u8> {
        self.0.take()
    }
}

impl Write for Buffer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Buffers a report until it is complete, so that its file is complete or absent.
pub(crate) struct BufferedReporter {
    name: &'static str,
    reporter: Box<dyn Reporter>,
    written: Buffer,
    output: ReportOutput,
}

impl BufferedReporter {
    /// The report that `make` creates for a writer; `name` is used in its errors.
    pub(crate) fn new(
        name: &'static str,
        output: ReportOutput,
        make: impl FnOnce(Box<dyn Write>) -> Box<dyn Reporter>,
    ) -> Self {
        let written = Buffer::default();
        Self { name, reporter: make(Box::new(written.clone())), written, output }
    }
}

impl Reporter for BufferedReporter {
    fn share(&mut self, runs: &SharedRuns) {
        self.reporter.share(runs);
    }

    fn on_event(&mut self, event: &RunEvent) -> Result<(), ReportError> {
        self.reporter.on_event(event)
    }

    fn finish(&mut self) -> Result<(), ReportError> {
        self.reporter.finish()?;
        (self.output)(&self.written.take()).map_err(|source| ReportError::Write { report: self.name, source })
    }
}
