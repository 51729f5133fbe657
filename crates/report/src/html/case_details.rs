//! Collects the details of each case for the page, within size limits.
//!
//! How a case will end is unknown while it runs, so up to 192 KB are kept for each running attempt (`attempt`). When
//! all attempts of a case have ended, they become text for the page's script: 4 MB for cases that did not pass, 2 MB
//! for those that did, in the order of the suite. For readers without JavaScript there is the evidence of the first 200
//! cases that did not pass.

use std::collections::BTreeMap;
use std::sync::Arc;

use agentci_verdict::{Body, CaseEnd, CaseStatus, RunEvent};

use super::attempt::RunningAttempt;
use super::bounded_texts::TextTable;

/// The maximum number of cases that are shown without JavaScript.
pub(super) const CASES: usize = 200;
/// The size limits for an attempt that passed or is one of many: per step, and in total.
const PASSED_STEP: usize = 600;
const PASSED_LIMIT: usize = 3 * 1024;
const BESIDE_STEP: usize = 4 * 1024;
const BESIDE_LIMIT: usize = 24 * 1024;
/// The maximum number of attempts of a case that are kept.
const ATTEMPTS: usize = 10;
/// The size limits for all cases that did not pass, and for all that did.
const WRONG_ROOM: usize = 4 << 20;
const RIGHT_ROOM: usize = 2 << 20;

/// The data of the attempts at all cases.
#[derive(Debug, Default)]
pub(super) struct PageCases {
    /// By case and attempt: the position of a case is only known at its end.
    running: BTreeMap<(Arc<str>, u32), RunningAttempt>,
    /// By position: ended attempts of cases that have not ended.
    ended: BTreeMap<usize, Vec<RunningAttempt>>,
    /// By position: cases that passed.
    right: TextTable<RIGHT_ROOM>,
    /// By position: cases that did not pass.
    wrong: TextTable<WRONG_ROOM>,
    /// By position: the evidence of the first of those, for readers without JavaScript.
    evidence: BTreeMap<usize, PlainEvidence>,
    /// By position: the number of passed checks of those.
    held: BTreeMap<usize, usize>,
}

/// The evidence for readers without JavaScript, as HTML.
#[derive(Debug)]
pub(super) struct PlainEvidence {
    /// Checks that did not pass.
    pub(super) checks: String,
    /// The output of the agent.
    pub(super) output: String,
}

impl PageCases {
    pub(super) fn add(&mut self, event: &RunEvent) {
        // The results of all attempts together are in the row.
        let (Some(id), false) = (&event.case_id, matches!(event.body, Body::Stability(_))) else { return };
        let number = event.attempt.unwrap_or(1);
        let key = (Arc::clone(id), number);
        if let Body::CaseEnd(end) = &event.body {
            let mut attempt = self.running.remove(&key).unwrap_or_else(|| RunningAttempt::new(number, 0));
            if end.status != CaseStatus::Skipped {
                attempt.status = end.status;
                self.end(end, attempt);
            }
            return;
        }
        self.running.entry(key).or_insert_with(|| RunningAttempt::new(number, event.timestamp)).add(event);
    }

    /// Closes all cases once no more events follow, including those whose last attempts never ended.
    pub(super) fn close(&mut self) {
        while let Some((position, attempts)) = self.ended.pop_first() {
            self.keep(position, attempts);
        }
    }

    /// The attempts at the case at a position, as a JSON list, if they fit.
    pub(super) fn attempts(&self, position: usize) -> Option<&str> {
        self.wrong.get(position).or(self.right.get(position))
    }

    /// The evidence of the case at a position, if it has any.
    pub(super) fn evidence(&self, position: usize) -> Option<&PlainEvidence> {
        self.evidence.get(&position)
    }

    /// The number of passed checks of a case: for one that passed, all that did not fail.
    pub(super) fn held(&self, end: &CaseEnd) -> usize {
        let checks = end.assertions;
        self.held.get(&end.index).copied().unwrap_or(checks.total.saturating_sub(checks.failed))
    }

    fn end(&mut self, end: &CaseEnd, mut attempt: RunningAttempt) {
        let attempts = self.ended.entry(end.index).or_default();
        let worst = attempts.iter().map(|ended| ended.status).max();
        // The row shows the first of the worst attempts; the others are listed next to it.
        if end.status == CaseStatus::Pass || worst >= Some(end.status) {
            attempt.shorten(BESIDE_STEP, BESIDE_LIMIT);
        }
        let is_last = attempt.number >= end.runs;
        if attempts.len() < ATTEMPTS {
            attempts.push(attempt);
        } else if worst < Some(end.status) {
            attempts.pop();
            attempts.push(attempt);
        }
        if is_last && let Some(attempts) = self.ended.remove(&end.index) {
            self.keep(end.index, attempts);
        }
    }

    /// Stores the attempts at a case, if they fit.
    fn keep(&mut self, position: usize, mut attempts: Vec<RunningAttempt>) {
        // Strings and numbers can always be serialized.
        let text = |attempts: &[RunningAttempt]| serde_json::to_string(attempts).expect("an attempt is JSON");
        let worst = attempts.iter().map(|attempt| attempt.status).max().expect("an attempt has ended");
        if worst == CaseStatus::Pass {
            for attempt in &mut attempts {
                attempt.shorten(PASSED_STEP, PASSED_LIMIT);
            }
            return self.right.put(position, || text(&attempts));
        }
        self.wrong.put(position, || text(&attempts));
        if let Some(shown) = attempts.into_iter().find(|attempt| attempt.status == worst) {
            self.held.insert(position, shown.held);
            self.evidence.insert(position, PlainEvidence { checks: shown.checks.html(), output: shown.output });
            if self.evidence.len() > CASES {
                self.evidence.pop_last();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use agentci_verdict::{LogLine, TaskStart};

    use super::*;

    fn event(id: &str, attempt: u32, body: Body) -> RunEvent {
        RunEvent { suite: "s".into(), case_id: Some(id.into()), attempt: Some(attempt), timestamp: 1, body }
    }

    fn play(gathered: &mut PageCases, index: usize, runs: u32, status: impl Fn(u32) -> CaseStatus) {
        let id = format!("t{index}");
        for attempt in 1..=runs {
            gathered.add(&event(&id, attempt, Body::TaskStart(TaskStart::default())));
            let log = LogLine { level: "info".into(), message: "x".repeat(9000), data: None };
            gathered.add(&event(&id, attempt, Body::Log(log)));
            let end = CaseEnd { index, runs, status: status(attempt), ..CaseEnd::default() };
            gathered.add(&event(&id, attempt, Body::CaseEnd(Arc::new(end))));
        }
    }

    fn numbers(gathered: &PageCases, index: usize) -> Vec<u64> {
        let attempts: Vec<serde_json::Value> = serde_json::from_str(gathered.attempts(index).unwrap()).unwrap();
        attempts.iter().map(|attempt| attempt["number"].as_u64().unwrap()).collect()
    }

    #[test]
    fn kept_details_stay_within_size_limits() {
        let mut gathered = PageCases::default();
        for index in 0..3000 {
            play(&mut gathered, index, 1, |_| if index % 2 == 0 { CaseStatus::Fail } else { CaseStatus::Pass });
        }
        let kept = |first: usize| (first..3000).step_by(2).filter_map(|at| gathered.attempts(at)).map(str::len);
        assert!(kept(0).sum::<usize>() <= WRONG_ROOM && kept(0).sum::<usize>() > WRONG_ROOM / 2);
        assert!(kept(1).sum::<usize>() <= RIGHT_ROOM && kept(1).all(|size| size < PASSED_LIMIT + 200));
        assert!(gathered.running.is_empty() && gathered.ended.is_empty());
        assert_eq!(gathered.evidence.len(), CASES);
    }

    #[test]
    fn keeps_the_deciding_run_of_many() {
        let mut gathered = PageCases::default();
        play(&mut gathered, 0, 30, |attempt| if attempt == 25 { CaseStatus::Fail } else { CaseStatus::Pass });
        assert_eq!(numbers(&gathered, 0), [1, 2, 3, 4, 5, 6, 7, 8, 9, 25]);
        play(&mut gathered, 1, 3, |_| CaseStatus::Pass);
        assert_eq!(numbers(&gathered, 1), [1, 2, 3]);
    }

    #[test]
    fn keeps_case_with_missing_runs_on_close() {
        let mut gathered = PageCases::default();
        let end = CaseEnd { index: 4, runs: 3, status: CaseStatus::Error, ..CaseEnd::default() };
        gathered.add(&event("t", 1, Body::CaseEnd(Arc::new(end))));
        assert!(gathered.attempts(4).is_none());
        gathered.close();
        assert_eq!(numbers(&gathered, 4), [1]);
    }
}
