//! Tells a regression from chance. A case has a history of runs and some current runs; the question is always whether
//! the current ones are worse by more than chance explains.
//!
//! - A fixed number of runs: [`fisher_lower`] for a case, [`mantel_haenszel_lower`] for a suite,
//!   [`benjamini_hochberg`] across cases.
//! - Runs that are repeated until the result is clear: [`SequentialEvidence`] for a case, [`e_benjamini_hochberg`] across cases.
//! - Times and costs: [`rank_sum`] for one pair of samples, [`stratified_rank_sum`] for a suite.
//! - How sure a pass rate is: [`wilson`].
//! - What a number of runs can show: [`detectable_rate`], [`runs_to_decide`]; for repeated runs [`SequentialTable`] and
//!   [`StoppingRule`].
//!
//! All of it is pure: simulations take their random numbers from [`Random`], which is seeded. The tests of
//! `interop/statistics.test.py` compare the results with scipy and statsmodels.

mod benjamini_hochberg;
mod counts;
mod e_benjamini_hochberg;
mod e_process;
mod fisher;
mod mantel_haenszel;
pub mod normal;
mod power;
mod random;
mod rank_sum;
mod ranks;
mod sequential_plan;
mod stratified_rank_sum;
mod tail;
mod wilson;

pub use benjamini_hochberg::benjamini_hochberg;
pub use counts::Counts;
pub use e_benjamini_hochberg::e_benjamini_hochberg;
pub use e_process::SequentialEvidence;
pub use fisher::fisher_lower;
pub use mantel_haenszel::mantel_haenszel_lower;
pub use power::{detectable_rate, runs_to_decide};
pub use random::{Random, mix, share};
pub use rank_sum::rank_sum;
pub use sequential_plan::{SequentialResult, SequentialTable, StoppingRule};
pub use stratified_rank_sum::stratified_rank_sum;
pub use wilson::wilson;
