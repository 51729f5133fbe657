//! Reads events of the run again, from wherever they are stored.

use std::cell::RefCell;
use std::fmt;
use std::io;
use std::rc::Rc;

use agentci_verdict::{CaseRow, LinePlace, Rows, RunEvent};

/// Reads an event again that was stored at a place.
#[derive(Clone)]
pub struct JournalReader(Rc<RefCell<JournalReaderState>>);

struct JournalReaderState {
    read: Box<dyn FnMut(LinePlace) -> io::Result<RunEvent>>,
    /// The first error.
    error: Option<io::Error>,
}

impl JournalReader {
    /// A reader that calls this function.
    pub fn new(read: impl FnMut(LinePlace) -> io::Result<RunEvent> + 'static) -> Self {
        Self(Rc::new(RefCell::new(JournalReaderState { read: Box::new(read), error: None })))
    }

    /// The row of the case at a position, from its last event. After an error there are no more rows.
    pub(super) fn row(&self, position: usize, place: LinePlace) -> Option<CaseRow> {
        let again = &mut *self.0.borrow_mut();
        if again.error.is_some() {
            return None;
        }
        let read = (again.read)(place).and_then(|event| {
            let mut rows = Rows::default();
            rows.add(&event);
            rows.remove(position).ok_or_else(|| io::Error::other("the stored run changed while it was read"))
        });
        read.map_err(|error| again.error = Some(error)).ok()
    }

    /// The error that ended an iteration over rows, if any.
    pub(super) fn take_error(&self) -> io::Result<()> {
        self.0.borrow_mut().error.take().map_or(Ok(()), Err)
    }
}

impl fmt::Debug for JournalReader {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("JournalReader")
    }
}
