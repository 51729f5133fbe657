//! What a report wrote, for those who want it when it is done.

use std::cell::RefCell;
use std::io::{self, Write};
use std::rc::Rc;

use agentci_verdict::RunEvent;

use crate::{ReportError, ReportOutput, Reporter};

/// Bytes that are written at one place and taken at another.
#[derive(Debug, Clone, Default)]
pub struct Buffer(Rc<RefCell<Vec<u8>>>);

impl Buffer {
    /// A place for a whole report to go.
    pub fn output(&self) -> ReportOutput {
        let mut into = self.clone();
        Box::new(move |bytes| into.write_all(bytes))
    }

    /// What was written since it was last taken.
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
