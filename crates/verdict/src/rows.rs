//! Groups events into one row per case, in the order of the suite.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::{Body, CaseEnd, CaseStatus, Cause, RunEvent};

/// A case with all its attempts so far.
#[derive(Debug, Clone, PartialEq)]
pub struct CaseRow {
    /// The ends of all attempts, in order; at least one.
    pub attempts: Vec<Arc<CaseEnd>>,
}

impl CaseRow {
    /// A case with this id and at least one ended attempt.
    pub fn new(id: &Arc<str>, ends: impl IntoIterator<Item = CaseEnd>) -> Self {
        Self { attempts: ends.into_iter().map(|end| Arc::new(CaseEnd { id: Arc::clone(id), ..end })).collect() }
    }

    /// The id of the case.
    pub fn id(&self) -> &str {
        &self.attempts[0].id
    }

    /// The position of the case in the suite, from 0.
    pub fn index(&self) -> usize {
        self.attempts[0].index
    }

    /// The status of the case: that of its worst attempt.
    pub fn status(&self) -> CaseStatus {
        self.decisive().status
    }

    /// The cause, unless it passed.
    pub fn cause(&self) -> Option<Cause> {
        self.decisive().cause
    }

    /// The first of the worst attempts, which reports show.
    pub fn decisive(&self) -> &CaseEnd {
        let worst = self.attempts.iter().map(|attempt| attempt.status).max();
        self.attempts.iter().find(|attempt| Some(attempt.status) == worst).expect("a case has an attempt")
    }

    /// The ids of the prompts of all its attempts; `None` if they could not be observed.
    pub fn asked(&self) -> Option<Vec<String>> {
        let lists = || self.attempts.iter().filter_map(|end| end.asked.as_deref());
        let ids: BTreeSet<&String> = lists().flatten().collect();
        lists().next().map(|_| ids.into_iter().cloned().collect())
    }

    /// Whether all attempts have ended.
    pub fn complete(&self) -> bool {
        u32::try_from(self.attempts.len()).is_ok_and(|count| count >= self.runs())
    }

    /// The planned number of runs, as far as known: a case may be repeated until it is decided.
    pub fn runs(&self) -> u32 {
        self.attempts.iter().map(|end| end.runs).max().unwrap_or_default()
    }

    /// Whether the case is configured to run more than once, so that its stability is of interest.
    pub fn repeated(&self) -> bool {
        self.runs() > 1
    }

    /// The total wall time of all attempts, in milliseconds.
    pub fn wall_ms(&self) -> u64 {
        self.attempts.iter().map(|attempt| attempt.wall_ms).sum()
    }

    /// The total wall time in microseconds, as far as known.
    pub fn micros(&self) -> u64 {
        self.attempts.iter().map(|attempt| attempt.micros()).sum()
    }
}

/// Collects `case_end` events into rows, by their position in the suite.
#[derive(Debug, Clone, Default)]
pub struct Rows(BTreeMap<usize, CaseRow>);

impl Rows {
    /// Adds an event; returns the position of the row that it completed, if any.
    pub fn add(&mut self, event: &RunEvent) -> Option<usize> {
        let (Body::CaseEnd(end), Some(id)) = (&event.body, &event.case_id) else { return None };
        // The id in the event takes precedence over the one in the end.
        let end = if end.id == *id {
            Arc::clone(end)
        } else {
            Arc::new(CaseEnd { id: Arc::clone(id), ..CaseEnd::clone(end) })
        };
        let index = end.index;
        let row = self.0.entry(index).or_insert_with(|| CaseRow { attempts: Vec::new() });
        row.attempts.push(end);
        row.complete().then_some(index)
    }

    /// The row of the case at a position.
    pub fn get(&self, index: usize) -> Option<&CaseRow> {
        self.0.get(&index)
    }

    /// Takes out the row of the case at a position.
    pub fn remove(&mut self, index: usize) -> Option<CaseRow> {
        self.0.remove(&index)
    }

    /// All rows, in the order of the suite.
    pub fn iter(&self) -> impl Iterator<Item = &CaseRow> {
        self.0.values()
    }

    /// Whether every case that did not pass was actually run: neither the case nor its prerequisites were broken.
    pub fn all_run(&self) -> bool {
        self.iter().all(|row| !matches!(row.cause(), Some(Cause::Config | Cause::Hook | Cause::NotRechecked)))
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn end(index: usize, runs: u32) -> RunEvent {
        let body = Body::CaseEnd(Arc::new(CaseEnd { index, runs, ..CaseEnd::default() }));
        RunEvent { suite: "s".into(), case_id: Some(index.to_string().into()), attempt: Some(1), timestamp: 1, body }
    }

    #[test]
    fn rows_are_in_suite_order() {
        let mut rows = Rows::default();
        let positions = [40, 0, usize::MAX, 15, 16, 3];
        for index in positions {
            assert_eq!(rows.add(&end(index, 1)), Some(index));
        }
        let order: Vec<usize> = rows.iter().map(|row| row.decisive().index).collect();
        assert_eq!(order, [0, 3, 15, 16, 40, usize::MAX]);
        assert_eq!(rows.len(), positions.len());
        assert!(rows.get(16).is_some() && rows.get(17).is_none() && rows.get(1000).is_none());
    }

    #[test]
    fn row_is_complete_after_last_attempt() {
        let mut rows = Rows::default();
        assert_eq!((rows.add(&end(7, 2)), rows.len()), (None, 1));
        assert_eq!((rows.add(&end(7, 2)), rows.len()), (Some(7), 1));
        assert_eq!(rows.get(7).map(|row| row.attempts.len()), Some(2));
    }
}
