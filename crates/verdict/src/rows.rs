//! One row a case: attempts folded, cases in the order of the suite.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::ops::Deref;
use std::sync::Arc;

use crate::{Body, CaseEnd, Cause, RunEvent, Status};

/// A case with all its attempts so far.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// The case.
    pub id: Arc<str>,
    /// How each attempt ended, in order; at least one.
    pub attempts: Attempts,
}

/// How each attempt at a case ended, in order. Most cases have one, which takes no list.
#[derive(Debug, Clone, PartialEq)]
pub enum Attempts {
    /// The only one so far.
    One([Arc<CaseEnd>; 1]),
    /// Any number of them.
    Several(Vec<Arc<CaseEnd>>),
}

impl Attempts {
    fn push(&mut self, end: Arc<CaseEnd>) {
        match self {
            Attempts::One([first]) => *self = Attempts::Several(vec![Arc::clone(first), end]),
            Attempts::Several(ends) => ends.push(end),
        }
    }
}

impl Deref for Attempts {
    type Target = [Arc<CaseEnd>];

    fn deref(&self) -> &Self::Target {
        match self {
            Attempts::One(one) => one,
            Attempts::Several(ends) => ends,
        }
    }
}

impl FromIterator<Arc<CaseEnd>> for Attempts {
    fn from_iter<I: IntoIterator<Item = Arc<CaseEnd>>>(ends: I) -> Self {
        Attempts::Several(ends.into_iter().collect())
    }
}

impl Row {
    /// How the case ended: as its worst attempt.
    pub fn status(&self) -> Status {
        self.decisive().status
    }

    /// Why, unless it passed.
    pub fn cause(&self) -> Option<Cause> {
        self.decisive().cause
    }

    /// The first attempt among the worst: the one to show.
    pub fn decisive(&self) -> &CaseEnd {
        if let Attempts::One([one]) = &self.attempts {
            return one;
        }
        let worst = self.attempts.iter().map(|attempt| attempt.status).max();
        self.attempts.iter().find(|attempt| Some(attempt.status) == worst).unwrap_or(&self.attempts[0])
    }

    /// Whether no attempt is outstanding.
    pub fn complete(&self) -> bool {
        u32::try_from(self.attempts.len()).is_ok_and(|count| count >= self.runs())
    }

    /// How often it was to be run.
    pub fn runs(&self) -> u32 {
        self.attempts[0].runs
    }

    /// Whether that is more than once, so that it makes sense to ask how much its runs are alike.
    pub fn repeated(&self) -> bool {
        self.runs() > 1
    }

    /// Wall time of all attempts together, in milliseconds.
    pub fn wall_ms(&self) -> u64 {
        self.attempts.iter().map(|attempt| attempt.wall_ms).sum()
    }
}

/// Gathers `case_end` events into rows.
#[derive(Debug, Clone, Default)]
pub struct Rows {
    rows: BTreeMap<usize, Row>,
}

impl Rows {
    /// Takes note of an event; gives the position of the row that it completed, if it completed one.
    pub fn add(&mut self, event: &RunEvent) -> Option<usize> {
        let (Body::CaseEnd(end), Some(id)) = (&event.body, &event.case_id) else { return None };
        let row = match self.rows.entry(end.index) {
            Entry::Vacant(free) => free.insert(Row { id: Arc::clone(id), attempts: Attempts::One([Arc::clone(end)]) }),
            Entry::Occupied(taken) => {
                let row = taken.into_mut();
                row.attempts.push(Arc::clone(end));
                row
            }
        };
        row.complete().then_some(end.index)
    }

    /// The row of the case at a position.
    pub fn get(&self, index: usize) -> Option<&Row> {
        self.rows.get(&index)
    }

    /// All rows, in the order of the suite.
    pub fn iter(&self) -> impl Iterator<Item = &Row> {
        self.rows.values()
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }
}
