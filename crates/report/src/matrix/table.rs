//! The tables of a matrix, for the reports that show text.

use agentci_verdict::{AxisResults, GridRow, MatrixNumbers, MatrixResults};

use super::words::{HEADINGS, columns};

/// A table: its first column contains names from the suite, all others our own words.
pub(super) struct MatrixTable {
    pub(super) headings: Vec<String>,
    pub(super) rows: Vec<Vec<String>>,
    /// The number of rows that are not in the table.
    pub(super) left_out: usize,
}

impl MatrixTable {
    /// The values of an axis, at most `limit`.
    pub(super) fn of_axis(results: &AxisResults, limit: usize) -> Self {
        let rows = results.values.iter().map(|value| (value.value.clone(), &value.numbers));
        Self::of_numbers(results.axis.clone(), rows.collect(), limit)
    }

    /// The combinations, at most `limit`.
    pub(super) fn of_combinations(results: &MatrixResults, limit: usize) -> Self {
        let rows = results.combinations.iter().map(|combination| (combination.name(), &combination.numbers));
        Self::of_numbers("combination".to_owned(), rows.collect(), limit)
    }

    fn of_numbers(first: String, all: Vec<(String, &MatrixNumbers)>, limit: usize) -> Self {
        let left_out = all.len().saturating_sub(limit);
        let row = |(name, numbers): (String, &MatrixNumbers)| [name].into_iter().chain(columns(numbers)).collect();
        Self {
            headings: [first].into_iter().chain(HEADINGS.map(str::to_owned)).collect(),
            rows: all.into_iter().take(limit).map(row).collect(),
            left_out,
        }
    }

    /// Cases by combinations, at most `limit` cases. The headings are names from the suite, too.
    pub(super) fn of_cases(
        results: &MatrixResults,
        limit: usize,
        cell: impl Fn(&agentci_verdict::GridCell) -> String,
    ) -> Self {
        let names = results.combinations.iter().map(agentci_verdict::CombinationResults::name);
        let row = |row: &GridRow| {
            let cells = (0..results.combinations.len()).map(|at| row.cell(at).map(&cell).unwrap_or_default());
            [row.case.clone()].into_iter().chain(cells).collect()
        };
        Self {
            headings: ["case".to_owned()].into_iter().chain(names).collect(),
            rows: results.grid.iter().take(limit).map(row).collect(),
            left_out: results.grid.len().saturating_sub(limit) + results.left_out,
        }
    }
}
