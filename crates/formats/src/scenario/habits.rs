//! What suites of the `scenario` dialect take for granted.

use agentci_plan::{CaseFiles, Habits, Parallelism, ResultFiles, Verdicts};

pub(super) const HABITS: Habits = Habits {
    parallelism: Parallelism::One,
    verdicts: Verdicts::Kept,
    case_files: CaseFiles::CasesAlone,
    result_files: ResultFiles::ResultsFolder,
    ..Habits::USUAL
};
