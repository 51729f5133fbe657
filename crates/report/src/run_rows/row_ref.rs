//! A row of a run, in memory or read again.

use std::ops::Deref;

use agentci_verdict::CaseRow;

/// A row of a run.
#[derive(Debug)]
pub enum RowRef<'r> {
    /// The row stays in memory.
    Kept(&'r CaseRow),
    /// The row was read again.
    Read(CaseRow),
}

impl Deref for RowRef<'_> {
    type Target = CaseRow;

    fn deref(&self) -> &CaseRow {
        match self {
            RowRef::Kept(row) => row,
            RowRef::Read(row) => row,
        }
    }
}
