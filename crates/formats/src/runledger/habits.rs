//! What suites of the `runledger` dialect take for granted.

use agentci_plan::{CaseFiles, EmptyChecks, Habits, Parallelism, RecordedNumbers, Verdicts};

pub(super) const HABITS: Habits = Habits {
    parallelism: Parallelism::MachineUnlessTimed,
    empty_checks: EmptyChecks::PassInOrdersAndProhibitions,
    verdicts: Verdicts::Kept,
    // Its recordings compare arguments as text.
    recorded_numbers: RecordedNumbers::AsWritten,
    case_files: CaseFiles::CasesAlone,
    ..Habits::USUAL
};
