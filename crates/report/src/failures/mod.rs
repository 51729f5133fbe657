//! What the cases that did not pass have in common: the same first differing step, reason, check or cause.
//!
//! ```text
//! 58 cases: first differing step: `refund_order` is missing
//! 41 cases: `contains` failed: the answer does not contain `good`
//! 12 cases: `equals` failed: expected `…`, got `…`
//! 7 cases: the agent sent nothing for 30 s (timeout)
//! ```

/// The largest run whose failures are shown one by one.
pub(crate) const LISTED: usize = 50;

mod blanks;
mod first_steps;
mod groups;

pub(crate) use groups::{FailureGroup, kind_of, of};
