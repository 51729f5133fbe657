//! The progress line: `[12/200] 2 failed in 5.2 s, running: t13, t14, did not pass: t7, t9`.
//!
//! It is redrawn in place and erased before anything else is printed. Lines of cases wait for those before them, so the
//! progress line names cases that did not pass as soon as they are known. With many cases it is redrawn only some times a
//! second, since drawing it costs more than a short case. Errors of the terminal are ignored.

use std::collections::BTreeSet;
use std::io::Write;
use std::sync::Arc;

use agentci_verdict::{Body, CaseStatus, RunEvent};

use crate::failures::LISTED;
use crate::{cut, duration, one_line};

const WIPE: &str = "\r\u{1b}[2K";
/// The maximum number of cases that did not pass that are named.
const NAMED: usize = 3;

/// The time between two drawings in a run of many cases, in milliseconds.
const PAUSE: u64 = 50;

/// The progress line and its terminal.
pub(super) struct RunProgress {
    terminal: Box<dyn Write>,
    width: usize,
    now: u64,
    drawn: bool,
    /// When it was last drawn.
    drawn_at: u64,
    run: ProgressState,
}

/// The progress of the run.
#[derive(Default)]
struct ProgressState {
    total: usize,
    done: usize,
    begun: u64,
    cases: Vec<Arc<str>>,
    /// By position.
    wrong: BTreeSet<(usize, Arc<str>)>,
}

impl RunProgress {
    pub(super) fn new(terminal: Box<dyn Write>, width: usize) -> Self {
        Self { terminal, width, now: 0, drawn: false, drawn_at: 0, run: ProgressState::default() }
    }

    /// Adds an event; `completed` means that it was the last of its case.
    pub(super) fn add(&mut self, event: &RunEvent, completed: bool) {
        self.now = self.now.max(event.timestamp);
        let run = &mut self.run;
        match (&event.body, &event.case_id) {
            (Body::RunStart(start), _) => {
                *run = ProgressState { total: start.cases_total, begun: event.timestamp, ..ProgressState::default() };
            }
            (Body::TaskStart(_), Some(id)) => run.cases.push(id.clone()),
            (Body::CaseEnd(end), Some(id)) => {
                if let Some(at) = run.cases.iter().position(|running| running == id) {
                    run.cases.remove(at);
                }
                if matches!(end.status, CaseStatus::Fail | CaseStatus::Error) {
                    run.wrong.insert((end.index, id.clone()));
                }
                run.done += usize::from(completed);
            }
            (Body::RunEnd(_), _) => run.cases.clear(),
            _ => {}
        }
    }

    /// Updates the current time, in Unix milliseconds, while nothing else happens.
    pub(super) fn tick(&mut self, now: u64) {
        self.now = self.now.max(now);
        if self.drawn {
            self.draw_now();
        }
    }

    /// Erases the line, if it is drawn.
    pub(super) fn wipe(&mut self) {
        if self.drawn {
            self.write(WIPE);
            self.drawn = false;
        }
    }

    /// Draws the line after an event, unless nothing runs or, with many cases, it was drawn a moment ago.
    pub(super) fn draw(&mut self) {
        let again = self.run.total > LISTED && self.drawn && self.now < self.drawn_at.saturating_add(PAUSE);
        if !again {
            self.draw_now();
        }
    }

    fn draw_now(&mut self) {
        if self.run.cases.is_empty() {
            return self.wipe();
        }
        self.drawn_at = self.now;
        let failed = match self.run.wrong.len() {
            0 => String::new(),
            many => format!(" {many} failed"),
        };
        let line = format!(
            "[{}/{}]{failed} in {}, running: {}{}",
            self.run.done,
            self.run.total,
            duration(self.now.saturating_sub(self.run.begun)),
            self.run.cases.join(", "),
            self.named(),
        );
        // A line that fills the last column makes some terminals start a new one.
        let width = if self.width == 0 { 80 } else { self.width } - 1;
        self.write(&format!("{WIPE}{}", cut::fit(&one_line(&line), width)));
        self.drawn = true;
    }

    /// `, did not pass: t7, t9`, if there are any.
    fn named(&self) -> String {
        if self.run.wrong.is_empty() {
            return String::new();
        }
        let names: Vec<&str> = self.run.wrong.iter().take(NAMED).map(|(_, id)| &**id).collect();
        let more = if self.run.wrong.len() > NAMED { ", ..." } else { "" };
        format!(", did not pass: {}{more}", names.join(", "))
    }

    fn write(&mut self, text: &str) {
        let _ = self.terminal.write_all(text.as_bytes()).and_then(|()| self.terminal.flush());
    }
}
