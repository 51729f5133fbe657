//! What is printed while a run goes on, held back until the record of the run has it.
//!
//! A line about a case is a promise that the case can be found in `run.jsonl`, even if this process is killed in the next
//! moment. So lines wait until the journal was flushed. That happens whenever the run waits for anything: cases that take no time
//! share one write, and whoever watches an agent at work sees each line at once.

use std::cell::RefCell;
use std::io::{self, Write};
use std::rc::Rc;

use agentci::ledger::{Journal, LedgerError};
use agentci::verdict::RunEvent;

/// The journal of a run, and the lines that wait for it.
pub(super) struct Held {
    journal: RefCell<Journal>,
    /// The first failure of the journal.
    journal_error: RefCell<Option<LedgerError>>,
    lines: Lines,
    /// Whether lines are let through as they come, since something else writes to the same terminal.
    at_once: bool,
}

impl Held {
    /// Lines go to `out`, right behind each event where `at_once` says so.
    pub(super) fn new(journal: Journal, out: Box<dyn Write>, at_once: bool) -> Self {
        let lines = Lines(Rc::new(RefCell::new(Pending { text: Vec::new(), out, error: None })));
        Self { journal: RefCell::new(journal), journal_error: RefCell::default(), lines, at_once }
    }

    /// A place to print to.
    pub(super) fn out(&self) -> Box<dyn Write> {
        Box::new(self.lines.clone())
    }

    /// Takes an event into the journal, before anyone prints anything about it.
    pub(super) fn add(&self, event: &RunEvent) {
        let mut journal = self.journal.borrow_mut();
        let held = if self.at_once { journal.append(event) } else { journal.hold(event) };
        self.note(held);
    }

    /// To be called once an event was handed to all reports.
    pub(super) fn handed_on(&self) {
        if self.at_once || self.journal.borrow().is_flushed() {
            self.lines.print();
        }
    }

    /// Writes everything: first the journal, then the lines.
    pub(super) fn release(&self) {
        let flushed = self.journal.borrow_mut().flush();
        self.note(flushed);
        self.lines.print();
    }

    /// What went wrong with the journal and with the lines, told once.
    pub(super) fn finish(self) -> (Option<LedgerError>, Option<io::Error>) {
        self.release();
        (self.journal_error.into_inner(), self.lines.0.borrow_mut().error.take())
    }

    fn note(&self, done: Result<(), LedgerError>) {
        if let Err(error) = done {
            self.journal_error.borrow_mut().get_or_insert(error);
        }
    }
}

/// Lines that were not printed yet.
#[derive(Clone)]
struct Lines(Rc<RefCell<Pending>>);

struct Pending {
    text: Vec<u8>,
    out: Box<dyn Write>,
    /// Why they could not be; told to whoever writes next.
    error: Option<io::Error>,
}

impl Lines {
    fn print(&self) {
        let pending = &mut *self.0.borrow_mut();
        if pending.text.is_empty() {
            return;
        }
        let printed = pending.out.write_all(&pending.text).and_then(|()| pending.out.flush());
        pending.text.clear();
        pending.error = printed.err().or(pending.error.take());
    }
}

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut pending = self.0.borrow_mut();
        if let Some(error) = pending.error.take() {
            return Err(error);
        }
        pending.text.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use agentci::ledger::{RunFolder, read};
    use agentci::verdict::{Body, RunEnd};

    use super::*;

    #[derive(Clone, Default)]
    struct Screen(Rc<RefCell<Vec<u8>>>);

    impl Write for Screen {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.borrow_mut().write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    struct Gone;

    impl Write for Gone {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::BrokenPipe.into())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn event() -> RunEvent {
        let body = Body::RunEnd(RunEnd::default());
        RunEvent { suite: "s".into(), case_id: None, attempt: None, timestamp: 1, body }
    }

    fn held(out: impl Write + 'static, at_once: bool) -> (tempfile::TempDir, std::path::PathBuf, Held) {
        let base = tempfile::tempdir().unwrap();
        let folder = RunFolder::create(base.path(), "s", 0).unwrap();
        let path = folder.path().join("run.jsonl");
        let journal = Journal::create(&folder).unwrap();
        (base, path, Held::new(journal, Box::new(out), at_once))
    }

    #[test]
    fn a_line_is_printed_only_when_the_journal_has_its_event() {
        let screen = Screen::default();
        let (_base, path, held) = held(screen.clone(), false);
        held.add(&event());
        held.out().write_all(b"PASS t1\n").unwrap();
        held.handed_on();
        assert!(screen.0.borrow().is_empty() && read(&path).unwrap().events.is_empty());
        held.release();
        assert_eq!(&*screen.0.borrow(), b"PASS t1\n");
        assert_eq!(read(&path).unwrap().events.len(), 1);
    }

    #[test]
    fn on_a_terminal_nothing_waits() {
        let screen = Screen::default();
        let (_base, path, held) = held(screen.clone(), true);
        held.add(&event());
        held.out().write_all(b"PASS t1\n").unwrap();
        held.handed_on();
        assert_eq!(&*screen.0.borrow(), b"PASS t1\n");
        assert_eq!(read(&path).unwrap().events.len(), 1);
    }

    #[test]
    fn a_reader_that_went_away_is_told_of() {
        let (_base, _path, held) = held(Gone, false);
        let mut out = held.out();
        out.write_all(b"one\n").unwrap();
        held.release();
        assert_eq!(out.write_all(b"two\n").unwrap_err().kind(), io::ErrorKind::BrokenPipe);
        out.write_all(b"three\n").unwrap();
        assert_eq!(held.finish().1.unwrap().kind(), io::ErrorKind::BrokenPipe);
    }
}
