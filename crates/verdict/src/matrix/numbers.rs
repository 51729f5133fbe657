//! The numbers of some runs, as reports show them.

use serde::Serialize;

/// The results of the runs with one value of an axis, of one combination, or of one case.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MatrixNumbers {
    /// The number of cases that ran.
    pub cases: u64,
    /// The number of cases that were skipped.
    pub skipped: u64,
    /// The number of runs of these cases.
    pub runs: u64,
    /// The number of runs that passed.
    pub passes: u64,
    /// The number of runs that ended with an error, which count as not passed.
    pub errors: u64,
    /// The share of runs that passed; absent if there are none.
    pub pass_rate: Option<f64>,
    /// The Wilson interval of the pass rate.
    pub interval: Option<[f64; 2]>,
    /// The cost of the runs whose cost is known.
    pub cost_usd: Option<f64>,
    /// The number of runs whose cost is unknown.
    pub cost_unknown: u64,
    /// The input tokens of the runs that report them.
    pub tokens_in: Option<u64>,
    /// The number of runs that do not.
    pub tokens_in_unknown: u64,
    /// The output tokens of the runs that report them.
    pub tokens_out: Option<u64>,
    /// The number of runs that do not.
    pub tokens_out_unknown: u64,
    /// The median wall time of a run, in milliseconds.
    pub wall_ms: Option<u64>,
}

impl MatrixNumbers {
    /// The confidence of the intervals.
    pub const CONFIDENCE: f64 = 0.95;

    /// Whether the intervals of two pass rates do not overlap.
    pub fn differs_from(&self, other: &Self) -> bool {
        let (Some([low, high]), Some([lower, upper])) = (self.interval, other.interval) else { return false };
        low > upper || lower > high
    }
}
