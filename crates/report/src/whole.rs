//! A report that grows line by line, handed on in one piece.

use std::cell::RefCell;
use std::io::{self, Write};
use std::rc::Rc;

use agentci_verdict::RunEvent;

use crate::{Output, ReportError, Reporter};

/// Keeps what a report writes until it is complete, so that its file is complete or absent.
pub(crate) struct Whole {
    name: &'static str,
    reporter: Box<dyn Reporter>,
    written: Pages,
    output: Output,
}

impl Whole {
    /// The report that `make` makes of a place to write to, under the name its errors are told with.
    pub(crate) fn new(
        name: &'static str,
        output: Output,
        make: impl FnOnce(Box<dyn Write>) -> Box<dyn Reporter>,
    ) -> Self {
        let written = Pages::default();
        Self { name, reporter: make(Box::new(written.clone())), written, output }
    }
}

impl Reporter for Whole {
    fn on_event(&mut self, event: &RunEvent) -> Result<(), ReportError> {
        self.reporter.on_event(event)
    }

    fn finish(&mut self) -> Result<(), ReportError> {
        self.reporter.finish()?;
        (self.output)(&self.written.0.take()).map_err(|source| ReportError::Write { report: self.name, source })
    }
}

#[derive(Clone, Default)]
struct Pages(Rc<RefCell<Vec<u8>>>);

impl Write for Pages {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
