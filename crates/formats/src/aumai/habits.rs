//! What suites of the `aumai` dialect take for granted.

use std::time::Duration;

use agentci_plan::{CaseFiles, EmptyChecks, Habits, InvalidChecks, Parallelism, TimeLimit, Verdicts};

/// How long all tests of a suite together may take by default.
const SUITE_TIMEOUT: Duration = Duration::from_secs(30);

pub(super) const HABITS: Habits = Habits {
    time_limit: TimeLimit::Suite(SUITE_TIMEOUT),
    parallelism: Parallelism::One,
    // The model answers by position: each test counts on those before it.
    invalid_checks: InvalidChecks::RefuseSuite,
    empty_checks: EmptyChecks::Pass,
    verdicts: Verdicts::Kept,
    case_files: CaseFiles::CasesAlone,
    ..Habits::USUAL
};
