//! What suites of the `ananke` dialect take for granted.

use agentci_plan::{CaseFiles, Habits, Parallelism, Verdicts};

pub(super) const HABITS: Habits = Habits {
    parallelism: Parallelism::One,
    verdicts: Verdicts::Kept,
    case_files: CaseFiles::CasesAlone,
    ..Habits::USUAL
};
