//! Holds console output back until the events behind it are in the journal of the run.
//!
//! A line about a case guarantees that the case is in `run.jsonl`, even if this process is killed right afterwards. So
//! lines wait until the journal is flushed, which happens whenever the run is idle: fast cases share one write, and
//! lines about slow cases appear at once.

use std::cell::RefCell;
use std::io::{self, Write};
use std::rc::Rc;

use agentci::ledger::{LedgerError, RunJournal};
use agentci::report::{FanOut, ReportError, Reporter, SharedRuns};
use agentci::verdict::{Body, RunEvent};

use super::journal_reader::journal_reader;

/// The name of the console in error messages.
pub(super) const CONSOLE: &str = "console";

/// The journal of a run, and the reports whose lines wait for it.
pub(super) struct JournaledConsole {
    journal: RunJournal,
    /// The first error of the journal.
    journal_error: Option<LedgerError>,
    /// The runs that all reports share.
    runs: SharedRuns,
    reports: FanOut,
    lines: UnprintedLines,
    /// Whether lines are printed immediately, since something else writes to the same terminal.
    at_once: bool,
}

impl JournaledConsole {
    /// Prints lines to `out`; with `at_once`, directly after each event.
    pub(super) fn new(journal: RunJournal, out: Box<dyn Write>, at_once: bool) -> Self {
        let lines = UnprintedLines(Rc::new(RefCell::new(PendingOutput { text: Vec::new(), out, error: None })));
        let runs = SharedRuns::stored(journal_reader(journal.path()));
        let reports = FanOut::sharing(&runs);
        Self { journal, journal_error: None, runs, reports, lines, at_once }
    }

    /// The runs of the events so far. Their rows can be read once the journal is flushed.
    pub(super) fn runs(&self) -> &SharedRuns {
        &self.runs
    }

    /// Adds a report; `make` gets the writer for its lines.
    pub(super) fn add(&mut self, name: &str, make: impl FnOnce(Box<dyn Write>) -> Box<dyn Reporter>) {
        let out = Box::new(self.lines.clone());
        self.reports.add(name, make(out));
    }

    /// Writes everything that was held back: first the journal, then the lines.
    pub(super) fn release(&mut self) {
        let flushed = self.journal.flush();
        self.note(flushed);
        self.lines.print();
    }

    /// Ends the reports. Returns what could not be printed, and the error of the journal.
    pub(super) fn close(mut self) -> (Vec<(String, ReportError)>, Option<LedgerError>) {
        let mut unprinted = self.reports.finish();
        self.release();
        let error = self.lines.0.borrow_mut().error.take();
        unprinted.extend(error.map(|source| (CONSOLE.to_owned(), ReportError::Write { report: CONSOLE, source })));
        (unprinted, self.journal_error)
    }

    fn note(&mut self, done: Result<(), LedgerError>) {
        if let Err(error) = done {
            self.journal_error.get_or_insert(error);
        }
    }
}

impl Reporter for JournaledConsole {
    fn on_event(&mut self, event: &RunEvent) -> Result<(), ReportError> {
        let held = if self.at_once { self.journal.append(event) } else { self.journal.hold(event) };
        self.note(held);
        self.runs.add(event, self.journal.last_place());
        if matches!(event.body, Body::RunEnd(_)) {
            // The reports after this one are slow with many cases.
            self.release();
        }
        self.reports.on_event(event);
        if self.at_once || self.journal.is_flushed() {
            self.lines.print();
        }
        Ok(())
    }

    fn on_tick(&mut self, unix_ms: u64) {
        self.reports.on_tick(unix_ms);
    }

    fn finish(&mut self) -> Result<(), ReportError> {
        self.release();
        Ok(())
    }
}

/// Lines that are not printed yet. The cell is shared because each report owns its writer, while the console decides
/// when lines are printed.
#[derive(Clone)]
struct UnprintedLines(Rc<RefCell<PendingOutput>>);

struct PendingOutput {
    text: Vec<u8>,
    out: Box<dyn Write>,
    /// Why the last lines could not be printed; the next write returns it.
    error: Option<io::Error>,
}

impl UnprintedLines {
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

impl Write for UnprintedLines {
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

    /// Prints a line about each event.
    struct Printer(Box<dyn Write>);

    impl Reporter for Printer {
        fn on_event(&mut self, event: &RunEvent) -> Result<(), ReportError> {
            let printed = writeln!(self.0, "{}", event.body.name());
            printed.map_err(|source| ReportError::Write { report: "printer", source })
        }
    }

    fn event() -> RunEvent {
        event_of(Body::Gates(Box::default()))
    }

    fn event_of(body: Body) -> RunEvent {
        RunEvent { suite: "s".into(), case_id: None, attempt: None, timestamp: 1, body }
    }

    fn console(out: impl Write + 'static, at_once: bool) -> (tempfile::TempDir, std::path::PathBuf, JournaledConsole) {
        let base = tempfile::tempdir().unwrap();
        let folder = RunFolder::create(base.path(), "s", 0).unwrap();
        let path = folder.path().join("run.jsonl");
        let journal = RunJournal::create(&folder).unwrap();
        let mut console = JournaledConsole::new(journal, Box::new(out), at_once);
        console.add("printer", |out| Box::new(Printer(out)));
        (base, path, console)
    }

    #[test]
    fn prints_line_only_after_its_event_is_journaled() {
        let screen = Screen::default();
        let (_base, path, mut console) = console(screen.clone(), false);
        console.on_event(&event()).unwrap();
        assert!(screen.0.borrow().is_empty() && read(&path).unwrap().events.is_empty());
        console.release();
        assert_eq!(&*screen.0.borrow(), b"gates\n");
        assert_eq!(read(&path).unwrap().events.len(), 1);
    }

    #[test]
    fn run_end_flushes_pending_lines() {
        let screen = Screen::default();
        let (_base, path, mut console) = console(screen.clone(), false);
        console.on_event(&event_of(Body::RunEnd(RunEnd::default()))).unwrap();
        assert_eq!(&*screen.0.borrow(), b"run_end\n");
        assert_eq!(read(&path).unwrap().events.len(), 1);
    }

    #[test]
    fn prints_immediately_on_a_terminal() {
        let screen = Screen::default();
        let (_base, path, mut console) = console(screen.clone(), true);
        console.on_event(&event()).unwrap();
        assert_eq!(&*screen.0.borrow(), b"gates\n");
        assert_eq!(read(&path).unwrap().events.len(), 1);
    }

    #[test]
    fn closed_pipe_is_reported_and_journal_continues() {
        let (_base, path, mut console) = console(Gone, false);
        for _ in 0..3 {
            console.on_event(&event()).unwrap();
            console.release();
        }
        // The report gets the error with its second line and is dropped; the journal continues.
        let (unprinted, journal_error) = console.close();
        let names: Vec<&str> = unprinted.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["printer"]);
        assert!(unprinted[0].1.is_broken_pipe() && journal_error.is_none());
        assert_eq!(read(&path).unwrap().events.len(), 3);
    }

    #[test]
    fn reports_failure_to_print_the_last_line() {
        let (_base, _path, mut console) = console(Gone, false);
        console.on_event(&event()).unwrap();
        let (unprinted, _) = console.close();
        assert_eq!(unprinted.len(), 1);
        assert_eq!(unprinted[0].0, CONSOLE);
    }
}
