//! What suites of the `yao` dialect take for granted.

use agentci_plan::{CaseFiles, Habits, InvalidChecks, Parallelism, ReportWriter, ResultFiles, TimeLimit, Verdicts};

pub(super) const HABITS: Habits = Habits {
    time_limit: TimeLimit::CaseDefault,
    parallelism: Parallelism::One,
    invalid_checks: InvalidChecks::FailCase,
    verdicts: Verdicts::Kept,
    case_files: CaseFiles::CasesAlone,
    result_files: ResultFiles::BesideCases,
    report_writer: ReportWriter::Agent,
    ..Habits::USUAL
};
