//! What is shown: the differences, and where both runs come from.

use agentci_trajectory::{RunDiff, RunKind};
use agentci_verdict::PromptChange;

/// Where a run comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiffOrigin {
    /// The path, as the user wrote it.
    pub path: String,
    /// Whether it is a run or a baseline.
    pub kind: RunKind,
}

/// The differences of two runs.
#[derive(Debug)]
pub struct DiffDocument<'t> {
    /// The old run.
    pub old: DiffOrigin,
    /// The new run.
    pub new: DiffOrigin,
    /// The differences.
    pub diff: RunDiff<'t>,
    /// The prompts that changed, if a baseline was compared. Two runs are compared request by request.
    pub prompts: Vec<PromptChange>,
}

impl DiffDocument<'_> {
    /// Whether anything differs.
    pub fn differs(&self) -> bool {
        self.diff.differs() || !self.prompts.is_empty()
    }

    /// The number of cases that differ.
    pub fn differing(&self) -> usize {
        self.diff.cases.iter().filter(|case| case.differs()).count()
    }
}
