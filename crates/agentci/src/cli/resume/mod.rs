//! `--resume`: continues stored runs that did not finish.
//!
//! [`ResumeFlag`] finds the stored run of each suite, and [`ResumedSuite`] is such a run after it was compared with the
//! suite as it is now.

mod absent_suites;
mod flag;
mod resumed_suite;
mod stored_runs;

pub(crate) use flag::{FoundRun, ResumeFlag};
pub(super) use resumed_suite::ResumedSuite;
