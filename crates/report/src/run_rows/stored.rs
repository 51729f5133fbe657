//! Rows that left memory: where the journal of the run has them, and their ids.

use agentci_verdict::{CaseRow, CaseStatus, LinePlace};

use super::tally::RowTally;

/// Rows that left memory, in the order in which they did.
#[derive(Debug, Default)]
pub(super) struct StoredRows {
    rows: Vec<StoredRow>,
    /// All ids, one after another.
    ids: String,
    /// Whether the rows are in the order of the suite.
    unordered: bool,
    pub(super) passed: usize,
    pub(super) tally: RowTally,
}

/// A row that left memory. There may be a million of them, so every byte counts.
#[derive(Debug, Clone, Copy)]
pub(super) struct StoredRow {
    at: u64,
    length: u32,
    position: u32,
    id: u32,
    id_length: u32,
}

impl StoredRow {
    pub(super) fn position(self) -> usize {
        self.position as usize
    }

    pub(super) fn place(self) -> LinePlace {
        LinePlace { at: self.at, length: self.length }
    }
}

impl StoredRows {
    /// Adds a row if its numbers are small enough; returns whether it was added.
    pub(super) fn add(&mut self, row: &CaseRow, place: LinePlace) -> bool {
        let numbers = [row.index(), self.ids.len(), row.id().len()].map(u32::try_from);
        let [Ok(position), Ok(id), Ok(id_length)] = numbers else { return false };
        self.unordered |= self.rows.last().is_some_and(|last| last.position > position);
        self.rows.push(StoredRow { at: place.at, length: place.length, position, id, id_length });
        self.ids.push_str(row.id());
        self.passed += usize::from(row.status() == CaseStatus::Pass);
        self.tally.add(row);
        true
    }

    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    /// The row that was added at this place in the order.
    pub(super) fn get(&self, at: usize) -> StoredRow {
        self.rows[at]
    }

    pub(super) fn id(&self, row: StoredRow) -> &str {
        &self.ids[row.id as usize..][..row.id_length as usize]
    }

    /// All rows, in the order of the suite.
    pub(super) fn iter(&self) -> impl Iterator<Item = StoredRow> {
        let mut order: Vec<u32> = Vec::new();
        if self.unordered {
            // Ids have less than 4 GiB together, and the positions differ, so there are fewer rows than fit into the type.
            order.extend(0..u32::try_from(self.rows.len()).unwrap_or(u32::MAX));
            order.sort_unstable_by_key(|at| (self.rows[*at as usize].position, *at));
        }
        (0..self.rows.len()).map(move |at| self.rows[order.get(at).map_or(at, |at| *at as usize)])
    }
}
