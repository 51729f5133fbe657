//! Which cases the page shows.

use std::fmt::Write as _;

use agentci_verdict::{CaseRow, CaseStatus};

use crate::run_rows::FIRST;
use crate::{ReportedRun, RunRows, count_of};

/// The cases that the page shows, in the order of the suite: the first 10,000, and all that did not pass.
pub(super) fn shown(rows: &RunRows) -> impl Iterator<Item = &CaseRow> {
    let wrong = |row: &CaseRow| matches!(row.status(), CaseStatus::Fail | CaseStatus::Error);
    rows.kept().enumerate().filter(move |(number, row)| *number < FIRST || wrong(row)).map(|(_, row)| row)
}

/// How many cases the page leaves out, and where they are.
pub(super) fn left_out(run: &ReportedRun, into: &mut String) {
    let left_out = run.rows.len() - shown(&run.rows).count();
    if left_out > 0 {
        let _ = writeln!(
            into,
            "<p class=cut>The table has the first {FIRST} cases and all that did not pass. {} left out; all cases are in \
             <code>summary.json</code>, <code>junit.xml</code> and <code>run.jsonl</code>.",
            count_of(left_out, "case"),
        );
    }
}
