//! Where all rows of a dataset are, and their ids.

use std::collections::BTreeMap;

use crate::row::{DataError, RowSpot};

/// The rows of a dataset. A row takes 16 bytes and its id: a dataset may have a million rows.
#[derive(Debug, Clone, Default)]
pub struct RowIndex {
    /// The first row of each file.
    files: Vec<usize>,
    spots: Vec<RowSpot>,
    /// All ids, one after another, and where each ends.
    ids: String,
    ends: Vec<u32>,
    /// What is wrong with bad rows.
    bad: BTreeMap<usize, DataError>,
}

impl RowIndex {
    /// The maximum number of rows.
    pub const MOST_ROWS: usize = 10_000_000;

    pub(crate) fn begin_file(&mut self) {
        self.files.push(self.spots.len());
    }

    /// Adds a row; `false` if there is no room for it.
    pub(crate) fn add(&mut self, spot: RowSpot, id: &str) -> bool {
        let Ok(end) = u32::try_from(self.ids.len() + id.len()) else { return false };
        if self.spots.len() >= Self::MOST_ROWS {
            return false;
        }
        self.spots.push(spot);
        self.ids.push_str(id);
        self.ends.push(end);
        true
    }

    pub(crate) fn add_bad(&mut self, spot: RowSpot, id: &str, error: DataError) -> bool {
        self.bad.insert(self.spots.len(), error);
        self.add(spot, id)
    }

    pub(crate) fn shrink(&mut self) {
        self.spots.shrink_to_fit();
        self.ids.shrink_to_fit();
        self.ends.shrink_to_fit();
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.spots.len()
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.spots.is_empty()
    }

    /// The id of a row; empty if there is no such row.
    pub fn id(&self, row: usize) -> &str {
        let Some(end) = self.ends.get(row) else { return "" };
        let begin = row.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.ids[begin as usize..*end as usize]
    }

    /// The ids of all rows, in order.
    pub fn ids(&self) -> impl Iterator<Item = &str> {
        (0..self.len()).map(|row| self.id(row))
    }

    /// Where a row is: the position of its file, and its spot there.
    pub fn spot(&self, row: usize) -> Option<(usize, RowSpot)> {
        let spot = *self.spots.get(row)?;
        let file = self.files.partition_point(|first| *first <= row).checked_sub(1)?;
        Some((file, spot))
    }

    /// What is wrong with a row, if anything.
    pub fn problem(&self, row: usize) -> Option<&DataError> {
        self.bad.get(&row)
    }

    /// The bad rows, in order.
    pub fn problems(&self) -> impl Iterator<Item = (usize, &DataError)> {
        self.bad.iter().map(|(row, error)| (*row, error))
    }

    /// The first two rows with the same id, if any.
    pub fn duplicate(&self) -> Option<(usize, usize)> {
        let mut rows: Vec<u32> = (0..u32::try_from(self.len()).unwrap_or(u32::MAX)).collect();
        rows.sort_by(|a, b| self.id(*a as usize).cmp(self.id(*b as usize)).then(a.cmp(b)));
        let pairs = rows.windows(2).map(|pair| (pair[0] as usize, pair[1] as usize));
        pairs.filter(|(first, second)| self.id(*first) == self.id(*second)).min_by_key(|(_, second)| *second)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_keep_their_file_and_id() {
        let mut index = RowIndex::default();
        index.begin_file();
        index.add(RowSpot { offset: 3, line: 2, column: 1 }, "a");
        index.begin_file();
        index.begin_file();
        index.add(RowSpot { offset: 5, line: 2, column: 1 }, "bc");
        index.add(RowSpot { offset: 9, line: 3, column: 1 }, "a");
        assert_eq!(index.ids().collect::<Vec<_>>(), ["a", "bc", "a"]);
        assert_eq!([0, 1, 2].map(|row| index.spot(row).unwrap().0), [0, 2, 2]);
        assert_eq!((index.spot(3), index.id(3)), (None, ""));
        assert_eq!(index.duplicate(), Some((0, 2)));
    }

    #[test]
    fn rows_and_ids_are_limited() {
        let mut index = RowIndex { spots: vec![RowSpot::default(); RowIndex::MOST_ROWS - 1], ..RowIndex::default() };
        assert!(index.add(RowSpot::default(), "a"));
        assert!(!index.add(RowSpot::default(), "b"));
        assert_eq!(index.len(), RowIndex::MOST_ROWS);
    }
}
