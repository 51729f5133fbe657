//! The line that tells what is running: `[12/200] running: t13, t14`.
//!
//! It is drawn over itself and wiped away before anything else is printed. A terminal that can not be written to loses it;
//! the run does not care.

use std::io::Write;

use agentci_verdict::{Body, RunEvent};

use super::lines::fit;
use crate::one_line;

const WIPE: &str = "\r\u{1b}[2K";

/// What is running.
pub(super) struct Progress {
    terminal: Box<dyn Write>,
    width: usize,
    total: usize,
    done: usize,
    running: Vec<String>,
    drawn: bool,
}

impl Progress {
    pub(super) fn new(terminal: Box<dyn Write>, width: usize) -> Self {
        Self { terminal, width, total: 0, done: 0, running: Vec::new(), drawn: false }
    }

    /// Takes note of an event; `completed` says that it was the last of its case.
    pub(super) fn add(&mut self, event: &RunEvent, completed: bool) {
        match (&event.body, &event.case_id) {
            (Body::RunStart(start), _) => {
                self.total = start.cases_total;
                self.done = 0;
                self.running.clear();
            }
            (Body::TaskStart(_), Some(id)) => self.running.push(id.clone()),
            (Body::CaseEnd(_), Some(id)) => {
                if let Some(at) = self.running.iter().position(|running| running == id) {
                    self.running.remove(at);
                }
                self.done += usize::from(completed);
            }
            (Body::RunEnd(_), _) => self.running.clear(),
            _ => {}
        }
    }

    /// Wipes the line away, if it is there.
    pub(super) fn wipe(&mut self) {
        if self.drawn {
            self.write(WIPE);
            self.drawn = false;
        }
    }

    /// Draws the line, unless nothing runs.
    pub(super) fn draw(&mut self) {
        if self.running.is_empty() {
            return self.wipe();
        }
        let line = format!("[{}/{}] running: {}", self.done, self.total, self.running.join(", "));
        // A line that fills the last column makes some terminals begin another.
        let width = if self.width == 0 { 80 } else { self.width } - 1;
        self.write(&format!("{WIPE}{}", fit(&one_line(&line), width)));
        self.drawn = true;
    }

    fn write(&mut self, text: &str) {
        let _ = self.terminal.write_all(text.as_bytes()).and_then(|()| self.terminal.flush());
    }
}
