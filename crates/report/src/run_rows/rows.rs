//! All rows of a run: those in memory, and those that can be read again.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io;
use std::iter::from_fn;
use std::rc::Rc;

use agentci_verdict::{CaseRow, CaseStatus, LinePlace, MatrixResults, Prompts, Rows, RunEvent, StabilitySummary};

use super::stored::{StoredRow, StoredRows};
use super::tally::RowTally;
use super::{JournalReader, RowRef};

/// The number of cases that stay in memory whatever became of them, the first of the suite.
pub(crate) const FIRST: usize = 10_000;

/// The rows of a run. Rows leave memory only if there is a reader for them.
#[derive(Debug)]
pub struct RunRows {
    kept: Rows,
    /// Those of the kept rows that leave memory if there are too many of them, by position.
    plain: BTreeMap<usize, LinePlace>,
    /// The maximum number of these.
    first: usize,
    stored: StoredRows,
    /// The row that left memory when it was completed by the last event.
    released: Option<CaseRow>,
    reader: Option<JournalReader>,
    /// The counts of all rows, once they were needed; absent if rows were added since.
    tally: RefCell<Option<Rc<RowTally>>>,
}

impl Default for RunRows {
    fn default() -> Self {
        Self::read_by(None)
    }
}

impl RunRows {
    pub(crate) fn read_by(reader: Option<JournalReader>) -> Self {
        Self {
            kept: Rows::default(),
            plain: BTreeMap::new(),
            first: FIRST,
            stored: StoredRows::default(),
            released: None,
            reader,
            tally: RefCell::default(),
        }
    }

    /// Adds an event, which is stored at `place`; returns the position of the row that it completed, if any.
    pub(crate) fn add(&mut self, event: &RunEvent, place: Option<LinePlace>) -> Option<usize> {
        self.released = None;
        let agentci_verdict::Body::CaseEnd(end) = &event.body else { return None };
        self.tally.take();
        self.plain.remove(&end.index);
        let completed = self.kept.add(event)?;
        if let (Some(place), Some(_)) = (place, &self.reader)
            && self.kept.get(completed).is_some_and(is_plain)
        {
            self.plain.insert(completed, place);
            if self.plain.len() > self.first {
                self.release(completed);
            }
        }
        Some(completed)
    }

    /// Lets the last of the plain rows go.
    fn release(&mut self, completed: usize) {
        let Some((position, place)) = self.plain.pop_last() else { return };
        let Some(row) = self.kept.get(position) else { return };
        if self.stored.add(row, place) {
            let row = self.kept.remove(position);
            self.released = row.filter(|_| position == completed);
        }
    }

    /// The row of the case at a position, if it is in memory: the row that the last event completed always is.
    pub(crate) fn get(&self, index: usize) -> Option<&CaseRow> {
        self.kept.get(index).or(self.released.as_ref().filter(|row| row.index() == index))
    }

    /// The rows in memory, in the order of the suite: the first 10,000, and all of which there is more to say than that
    /// they passed or were skipped.
    pub(crate) fn kept(&self) -> impl Iterator<Item = &CaseRow> {
        self.kept.iter()
    }

    /// The rows of cases that failed or had an error, in the order of the suite.
    pub(crate) fn failed(&self) -> impl Iterator<Item = &CaseRow> {
        self.kept().filter(|row| matches!(row.status(), CaseStatus::Fail | CaseStatus::Error))
    }

    /// All rows, in the order of the suite. If one cannot be read, it is the last one, and [`RunRows::intact`] says why.
    pub(crate) fn iter(&self) -> impl Iterator<Item = RowRef<'_>> {
        let mut kept = self.kept.iter().peekable();
        let mut stored = self.stored.iter().peekable();
        from_fn(move || {
            let position = kept.peek().map(|row| row.index());
            match stored.next_if(|row| position.is_none_or(|position| row.position() < position)) {
                Some(row) => self.read(row),
                None => kept.next().map(RowRef::Kept),
            }
        })
    }

    /// All rows, ordered by id.
    pub(crate) fn by_id(&self) -> impl Iterator<Item = RowRef<'_>> {
        let kept: Vec<&CaseRow> = self.kept.iter().collect();
        let split = kept.len();
        let key = |at: usize| {
            if let Some(row) = kept.get(at) {
                return (row.id(), row.index());
            }
            let row = self.stored.get(at - split);
            (self.stored.id(row), row.position())
        };
        // The rows of a run fit into 32 bits, see `StoredRows`.
        let mut order: Vec<u32> = (0..u32::try_from(self.len()).unwrap_or(u32::MAX)).collect();
        order.sort_unstable_by_key(|at| key(*at as usize));
        let row = move |at: u32| match kept.get(at as usize) {
            Some(row) => Some(RowRef::Kept(row)),
            None => self.read(self.stored.get(at as usize - split)),
        };
        order.into_iter().map_while(row)
    }

    /// The error that ended an iteration, if any.
    pub(crate) fn intact(&self) -> io::Result<()> {
        self.reader.as_ref().map_or(Ok(()), JournalReader::take_error)
    }

    fn read(&self, row: StoredRow) -> Option<RowRef<'_>> {
        self.reader.as_ref()?.row(row.position(), row.place()).map(RowRef::Read)
    }

    /// The number of rows.
    pub(crate) fn len(&self) -> usize {
        self.kept.len() + self.stored.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The counts of all rows.
    pub(crate) fn tally(&self) -> Rc<RowTally> {
        let count = || {
            let mut tally = self.stored.tally.clone();
            self.kept().for_each(|row| tally.add(row));
            Rc::new(tally)
        };
        Rc::clone(self.tally.borrow_mut().get_or_insert_with(count))
    }

    /// The stability of all cases, if any is configured to run more than once.
    pub(crate) fn stability(&self) -> Option<StabilitySummary> {
        let several = self.kept().any(CaseRow::repeated);
        several.then(|| StabilitySummary::of_rows(self.kept(), self.stored.passed))
    }

    /// The results by the combinations of a matrix, if any case is one.
    pub(crate) fn matrix(&self) -> Option<MatrixResults> {
        if self.tally().combined { MatrixResults::of(self.iter()) } else { None }
    }

    /// The prompts of all cases, if any could be observed.
    pub(crate) fn prompts(&self) -> Option<Prompts> {
        Prompts::of_rows(self.kept(), self.stored.tally.asked)
    }
}

/// Whether a complete row says nothing but that its only attempt passed or was skipped.
fn is_plain(row: &CaseRow) -> bool {
    let [end] = &row.attempts[..] else { return false };
    end.status <= CaseStatus::Skipped
        && end.most_runs.is_none()
        && end.findings.is_empty()
        && end.warnings.is_empty()
        && end.prompts.is_empty()
        && end.stderr_tail.is_empty()
        && end.played.is_none()
        && end.recheck.is_none()
}
