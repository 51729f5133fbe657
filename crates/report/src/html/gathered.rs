//! What the page will show of each case beside its row, gathered as it happens and never more than can be shown.
//!
//! While a case runs nobody knows how it will end, so of each that is running up to 256 KB are kept. Of one that passed a few
//! KB remain; of those that passed, and of those that did not, the first 200 in the order of the suite.

use std::collections::{BTreeMap, VecDeque};

use agentci_verdict::{Body, CheckEnd, CheckStatus, RunEvent, Status};

use super::{trace, value};
use crate::{cut, html_text};

/// How many cases are shown with their detail.
pub(super) const CASES: usize = 200;
/// How many events of a case are shown.
const EVENTS: usize = 200;
/// How much of the events of a case is kept, in bytes of HTML; half for the first of them and half for the last.
const TRACE_LIMIT: usize = 128 * 1024;
/// How much of its checks.
const CHECKS_LIMIT: usize = 32 * 1024;
/// The same for a case that passed.
const PASSED_LIMIT: usize = 3 * 1024;
/// How much of a check's message is shown; its finding has all of it.
const MESSAGE_LIMIT: usize = 300;

/// What is known of the attempts at all cases.
#[derive(Debug, Default)]
pub(super) struct Gathered {
    /// By case, then attempt: the position of a case is not known before its end.
    running: BTreeMap<String, BTreeMap<u32, Attempt>>,
    /// By position: cases that passed so far.
    passed: BTreeMap<usize, Attempt>,
    /// By position: cases that did not, with the first among their worst attempts, as in their row.
    failed: BTreeMap<usize, (Status, Attempt)>,
    /// By position: how many checks held in those.
    held: BTreeMap<usize, usize>,
}

/// What is shown of an attempt, all of it in HTML.
#[derive(Debug, Default)]
pub(super) struct Attempt {
    begun: u64,
    held: usize,
    /// What became of its checks.
    pub(super) checks: Lines,
    /// What the agent did.
    pub(super) trace: Lines,
    /// What the agent gave.
    pub(super) output: Option<String>,
}

impl Gathered {
    /// Takes note of an event.
    pub(super) fn add(&mut self, event: &RunEvent) {
        let Some(id) = event.case_id.as_deref() else { return };
        let number = event.attempt.unwrap_or(1);
        if let Body::CaseEnd(end) = &event.body {
            let attempt = self.running.get_mut(id).and_then(|attempts| attempts.remove(&number)).unwrap_or_default();
            if self.running.get(id).is_some_and(BTreeMap::is_empty) {
                self.running.remove(id);
            }
            return self.end(end.index, end.status, attempt);
        }
        if !self.running.contains_key(id) {
            self.running.insert(id.to_owned(), BTreeMap::new());
        }
        let Some(attempts) = self.running.get_mut(id) else { return };
        attempts.entry(number).or_insert_with(|| Attempt::begin(event.timestamp)).add(event);
    }

    /// What is shown of the case at a position, unless it has a row only.
    pub(super) fn get(&self, index: usize) -> Option<&Attempt> {
        self.failed.get(&index).map(|(_, attempt)| attempt).or(self.passed.get(&index))
    }

    /// How many checks held in a case; one that passed need not be asked.
    pub(super) fn held(&self, index: usize) -> Option<usize> {
        self.held.get(&index).copied()
    }

    fn end(&mut self, index: usize, status: Status, mut attempt: Attempt) {
        let worst = self.failed.get(&index).map(|(status, _)| *status);
        match status {
            Status::Skipped => {}
            Status::Pass if worst.is_some() || self.passed.contains_key(&index) => {}
            Status::Pass => {
                attempt.shorten();
                self.passed.insert(index, attempt);
                keep(&mut self.passed);
            }
            Status::Fail | Status::Error if worst >= Some(status) => {}
            Status::Fail | Status::Error => {
                self.passed.remove(&index);
                self.held.insert(index, attempt.held);
                self.failed.insert(index, (status, attempt));
                keep(&mut self.failed);
            }
        }
    }
}

/// Drops what is beyond the cases that can be shown.
fn keep<T>(cases: &mut BTreeMap<usize, T>) {
    if cases.len() > CASES {
        cases.pop_last();
    }
}

impl Attempt {
    fn begin(begun: u64) -> Self {
        Self { begun, ..Self::default() }
    }

    fn add(&mut self, event: &RunEvent) {
        match &event.body {
            Body::Check(check) => {
                self.held += usize::from(check.status == CheckStatus::Held);
                self.checks.add(check_line(check), CHECKS_LIMIT);
            }
            Body::FinalOutput(given) => self.output = Some(value::json(&given.output, value::LIMIT)),
            _ => {}
        }
        if let Some(line) = trace::line(event, self.begun) {
            self.trace.add(line, TRACE_LIMIT);
        }
    }

    /// Whether there is nothing to show.
    pub(super) fn is_empty(&self) -> bool {
        self.checks.is_empty() && self.trace.is_empty() && self.output.is_none()
    }

    /// Keeps what is worth keeping of an attempt that passed.
    fn shorten(&mut self) {
        self.checks.shorten(PASSED_LIMIT);
        self.trace.shorten(PASSED_LIMIT);
    }
}

/// `<li class=held>json_schema`
fn check_line(check: &CheckEnd) -> String {
    let class = match check.status {
        CheckStatus::Held => "held",
        CheckStatus::Failed => "failed",
        CheckStatus::Error => "broken",
        CheckStatus::NotEvaluated => "unseen",
    };
    let name = cut::name(&check.name, trace::NAME_LIMIT);
    let message = check.message.as_deref().map(|message| cut::name(message, MESSAGE_LIMIT));
    let message = message.map(|message| format!(" <span>{}</span>", html_text(&message))).unwrap_or_default();
    format!("<li class={class}><code>{}</code>{message}\n", html_text(&name))
}

/// Lines of which the first and the last are kept.
#[derive(Debug, Default)]
pub(super) struct Lines {
    first: Vec<String>,
    first_bytes: usize,
    last: VecDeque<String>,
    last_bytes: usize,
    left_out: usize,
}

impl Lines {
    fn add(&mut self, line: String, limit: usize) {
        let half = limit / 2;
        if self.last.is_empty() && self.first.len() < EVENTS / 2 && self.first_bytes + line.len() <= half {
            self.first_bytes += line.len();
            self.first.push(line);
            return;
        }
        self.last_bytes += line.len();
        self.last.push_back(line);
        while self.last.len() > EVENTS / 2 || (self.last_bytes > half && self.last.len() > 1) {
            self.last_bytes -= self.last.pop_front().map_or(0, |line| line.len());
            self.left_out += 1;
        }
    }

    /// Keeps the first lines that fit. Those after a gap go, since the gap is told of at the end.
    fn shorten(&mut self, limit: usize) {
        let Self { mut first, last, mut left_out, .. } = std::mem::take(self);
        if left_out == 0 {
            first.extend(last);
        } else {
            left_out += last.len();
        }
        let mut bytes = 0;
        let fits = |line: &&String| {
            bytes += line.len();
            bytes <= limit
        };
        let kept = first.iter().take_while(fits).count();
        left_out += first.len() - kept;
        first.truncate(kept);
        first.shrink_to_fit();
        *self = Self { first, left_out, ..Self::default() };
    }

    pub(super) fn is_empty(&self) -> bool {
        self.first.is_empty() && self.last.is_empty() && self.left_out == 0
    }

    /// All lines kept, and what is said of those that were not.
    pub(super) fn write(&self, into: &mut String, noun: &str) {
        self.first.iter().for_each(|line| into.push_str(line));
        if self.left_out > 0 {
            into.push_str("<li class=cut>");
            into.push_str(&crate::quantity::count_of(self.left_out, noun));
            into.push_str(" left out\n");
        }
        self.last.iter().for_each(|line| into.push_str(line));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(lines: &Lines) -> String {
        let mut text = String::new();
        lines.write(&mut text, "event");
        text
    }

    #[test]
    fn the_first_and_the_last_lines_are_kept() {
        let mut lines = Lines::default();
        (0..1000).for_each(|number| lines.add(format!("{number} "), TRACE_LIMIT));
        let text = shown(&lines);
        assert!(text.starts_with("0 1 2 ") && text.ends_with(" 998 999 "), "{text}");
        assert!(text.contains("99 <li class=cut>800 events left out\n900 "), "{text}");
        lines.shorten(100);
        assert!(shown(&lines).ends_with("events left out\n"));
        assert!(lines.first.len() > 10 && lines.first.iter().map(String::len).sum::<usize>() <= 100);
    }

    #[test]
    fn long_lines_leave_less_room() {
        let mut lines = Lines::default();
        (0..50).for_each(|_| lines.add("x".repeat(10_000), TRACE_LIMIT));
        let text = shown(&lines);
        assert!(text.len() <= TRACE_LIMIT + 100, "{}", text.len());
        assert!(text.contains("38 events left out"), "{}", text.replace('x', ""));
    }
}
