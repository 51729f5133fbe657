//! The table of cases by combinations.

use serde::Serialize;

use super::MatrixNumbers;
use super::tally::MatrixTally;
use crate::{CaseRow, CaseStatus};

/// The maximum number of cases in the table.
pub(super) const ROWS: usize = 200;
/// The maximum number of combinations in the table.
pub(super) const COLUMNS: usize = 50;

/// A case of the suite, with its results in each combination.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GridRow {
    /// The id of the case without axes.
    pub case: String,
    /// Its cells, by the position of their combination; combinations that the case does not have are absent.
    pub cells: Vec<(usize, GridCell)>,
}

/// A case in a combination.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GridCell {
    /// The position of the case among the selected cases, from 0.
    pub index: usize,
    pub status: CaseStatus,
    /// The numbers of its runs.
    pub numbers: MatrixNumbers,
}

impl GridRow {
    pub fn cell(&self, combination: usize) -> Option<&GridCell> {
        self.cells.iter().find(|(position, _)| *position == combination).map(|(_, cell)| cell)
    }
}

impl GridCell {
    pub(super) fn of(row: &CaseRow, case: &str) -> Self {
        let mut runs = MatrixTally::default();
        runs.add(row, case);
        Self { index: row.decisive().index, status: row.status(), numbers: runs.numbers() }
    }
}
