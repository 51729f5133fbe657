//! What a report wrote, for those who want it when it is done.

use std::cell::RefCell;
use std::io::{self, Write};
use std::rc::Rc;

use crate::ReportOutput;

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
