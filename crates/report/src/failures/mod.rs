//! What the cases that did not pass have in common: the same reason, the same check, the same cause.
//!
//! ```text
//! 41 cases: `contains` failed: the answer does not contain `good`
//! 12 cases: `equals` failed: expected `…`, got `…`
//! 7 cases: the agent sent nothing for 30 s (timeout)
//! ```

/// The largest run whose failures are shown one by one.
pub(crate) const LISTED: usize = 50;

mod blanks;
mod groups;

pub(crate) use groups::{FailureGroup, kind_of, of};
