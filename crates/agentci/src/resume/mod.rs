//! Continues a stored run: finds the cases that it has finished, and which of them are still the same.
//!
//! [`StoredProgress`] reads the `run.jsonl` of the stored run, with a few bytes for each case. Compared with the suite as
//! it is now, it becomes a [`Resumption`]: which cases are not run again, and why others are.

mod definition;
mod progress;
mod resumption;

pub(crate) use definition::Definitions;
pub use progress::{ResumeError, StoredProgress};
pub use resumption::Resumption;
