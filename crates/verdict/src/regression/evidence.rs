//! What a gate that knows noise found.

use serde::{Deserialize, Serialize};

use crate::CaseHistory;

/// Whether a case or a suite got worse.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Trend {
    /// It got worse by more than chance explains.
    Regressed,
    /// It did not get worse, and a clear drop would have been noticed.
    #[default]
    NotRegressed,
    /// There are not enough runs to tell.
    Undecided,
}

/// What an undecided gate does to the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Undecided {
    /// The gate passes.
    Pass,
    /// The gate fails.
    Fail,
}

impl Undecided {
    /// What an undecided gate does.
    pub fn of(fails: bool) -> Self {
        if fails { Self::Fail } else { Self::Pass }
    }
}

/// The evidence of a gate that knows noise.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct NoiseReport {
    /// The result.
    pub trend: Trend,
    /// The accepted share of false alarms.
    pub alpha: f64,
    /// The probability that chance alone makes the suite as a whole look as bad as it does, if it can be computed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suite_p: Option<f64>,
    /// Whether the suite as a whole got worse.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub suite_regressed: bool,
    /// The cases that got worse, then those that are undecided, each by id.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cases: Vec<CaseTrend>,
    /// The smallest number of runs of a case.
    #[serde(default)]
    pub runs: u64,
    /// Whether cases were repeated until they were decided. Then `runs` is the number of runs that each case would have
    /// been given.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub until_decided: bool,
    /// The pass rate below which any of the cases would have been noticed, with a probability of 80 %.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detectable_rate: Option<f64>,
    /// The number of runs of each case that would decide the undecided ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runs_to_decide: Option<u64>,
    /// The number of cases that were compared.
    #[serde(default)]
    pub compared: usize,
    /// How much of the cost or time was added, as a fraction, over all cases.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub growth: Option<f64>,
}

/// A case that got worse, or is undecided.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct CaseTrend {
    /// The id of the case.
    pub id: String,
    /// The result.
    pub trend: Trend,
    /// Its results in the history.
    #[serde(default)]
    pub history: CaseHistory,
    /// Its results in this run.
    #[serde(default)]
    pub current: CaseHistory,
    /// The probability that chance alone makes it look as bad as it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p: Option<f64>,
    /// The e-value that it got worse, if it was repeated until it was decided: chance alone exceeds it in at most one of
    /// that many cases.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub e_value: Option<f64>,
    /// Whether its world does not vary, so that a single failure is enough.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub deterministic: bool,
    /// The median of its history, for a gate on times or costs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<f64>,
    /// The median of its history's counterpart in this run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub now: Option<f64>,
}
