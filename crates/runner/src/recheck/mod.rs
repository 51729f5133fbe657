//! Evaluates the checks of a suite on a stored run, without an agent.
//!
//! Stored lines go in, run events come out: the lines of the agent unchanged, the checks evaluated anew, and each end
//! of a case with what changed. The checks go through the same `Account` as those of a run. What the stored run does
//! not contain is an error with the cause `not_rechecked`, never a pass.

mod attempt;
mod case_input;
mod cases;
mod obstacle;
mod stored_checks;
mod suite;

pub use cases::StoredCase;
pub(crate) use stored_checks::{KeptCheck, StoredChecks, stored_question};
pub use suite::{StoredAttempt, StoredRun, recheck_suite};
