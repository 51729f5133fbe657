//! Describes gates and the comparison with a baseline, in the same words for every report.
//!
//! ```text
//! GATE FAIL min_pass_rate: 0.80 is below 0.90 (baseline 1.00)
//! GATE PASS no_missing_cases: every case of the baseline was run
//! changed since evals/baseline.json:
//!   t2: pass -> fail
//!   t3: step 2 was search_docs, is create_issue
//! ```

mod document;
mod noise;
mod section;
mod table;
mod words;

pub(crate) use document::policy_snapshot;
pub use document::regression;
pub(crate) use section::{asked, section};
pub use table::comparison_table;
pub(crate) use words::differing_arguments;
pub use words::{baseline_problem, changes, gate};
