//! The thresholds of a suite's gates.

use agentci_plan::{Gates, GrowthGate};
use agentci_source::Spanned;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::Undecided;

/// The default minimum difference of wall times that can fail a gate: starting a process on another machine takes tens
/// of milliseconds more or less, which is a large share of a short case.
pub(crate) const MIN_WALL_MS_DELTA: f64 = 50.0;

/// The thresholds of gates: rates and fractions, never percentages.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[expect(clippy::struct_excessive_bools, reason = "each is a gate by a name of its own")]
pub struct Thresholds {
    /// The maximum growth of the mean wall time, as a fraction of the baseline's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_avg_wall_ms_delta_pct: Option<f64>,
    /// The maximum growth of the 95th percentile of the wall time, as a fraction of the baseline's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_p95_wall_ms_delta_pct: Option<f64>,
    /// The minimum difference in milliseconds for a wall time to fail one of these. Default: 50.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_wall_ms_delta: Option<f64>,
    /// The minimum share of cases that must pass.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_pass_rate: Option<f64>,
    /// The accepted share of false alarms of the gate on pass rates that knows noise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub no_regression: Option<f64>,
    /// The gate on wall times that knows noise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub no_slower: Option<GrowthThreshold>,
    /// The gate on costs that knows noise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub no_costlier: Option<GrowthThreshold>,
    /// What these gates do if there are too few runs to tell; if absent, they pass but forgive no failed case.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undecided: Option<Undecided>,
    /// Whether the gates alone decide the status of the run.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub decide: bool,
    /// Whether models must be called with the prompts, tools and parameters of the baseline.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub no_changed_prompts: bool,
    /// Whether every case must call the tools that it called in the baseline.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub no_changed_steps: bool,
    /// Whether every case of the baseline must be run.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub no_missing_cases: bool,
    /// Whether only cases that failed in the baseline may fail.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub no_new_failures: bool,
}

/// A gate on times or costs that knows noise.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct GrowthThreshold {
    /// The accepted share of false alarms.
    pub alpha: f64,
    /// The smallest growth that can fail the gate, as a fraction.
    pub min_effect: f64,
}

impl From<&Spanned<GrowthGate>> for GrowthThreshold {
    fn from(gate: &Spanned<GrowthGate>) -> Self {
        Self { alpha: gate.value.alpha, min_effect: gate.value.min_effect }
    }
}

impl From<&Gates> for Thresholds {
    fn from(gates: &Gates) -> Self {
        let number = |threshold: &Option<Spanned<f64>>| threshold.as_ref().map(|threshold| threshold.value);
        let truth = |asked: &Option<Spanned<bool>>| asked.as_ref().is_some_and(|asked| asked.value);
        Self {
            max_avg_wall_ms_delta_pct: number(&gates.max_avg_wall_ms_delta_pct),
            max_p95_wall_ms_delta_pct: number(&gates.max_p95_wall_ms_delta_pct),
            min_wall_ms_delta: number(&gates.min_wall_ms_delta),
            min_pass_rate: number(&gates.min_pass_rate),
            no_regression: number(&gates.no_regression),
            no_slower: gates.no_slower.as_ref().map(GrowthThreshold::from),
            no_costlier: gates.no_costlier.as_ref().map(GrowthThreshold::from),
            undecided: gates.undecided_fails.as_ref().map(|fails| Undecided::of(fails.value)),
            decide: truth(&gates.decide),
            no_changed_prompts: truth(&gates.no_changed_prompts),
            no_changed_steps: truth(&gates.no_changed_steps),
            no_missing_cases: truth(&gates.no_missing_cases),
            no_new_failures: truth(&gates.no_new_failures),
        }
    }
}

impl Thresholds {
    /// The thresholds of the run of a summary. Summaries created by `RunLedger` contain some of them only as written in
    /// the suite, where wall times may be percentages.
    pub fn of_summary(document: &Value) -> Self {
        let policy = &document["policy_snapshot"];
        let named = |place: &str, names: &[&str]| names.iter().find_map(|name| policy[place][*name].as_f64());
        let number = |names: &[&str]| named("thresholds", names).or_else(|| named("regression", names));
        let time = |names: &[&str]| {
            let fraction = |written: f64| if Gates::is_percentage(written) { written / 100.0 } else { written };
            named("thresholds", names).or_else(|| named("regression", names).map(fraction))
        };
        let truth = |name: &str| policy["thresholds"][name].as_bool().unwrap_or_default();
        Self {
            max_avg_wall_ms_delta_pct: time(&["max_avg_wall_ms_delta_pct"]),
            max_p95_wall_ms_delta_pct: time(&["max_p95_wall_ms_delta_pct", "max_p95_wall_ms_increase_pct"]),
            min_wall_ms_delta: number(&["min_wall_ms_delta"]),
            min_pass_rate: number(&["min_pass_rate", "min_success_rate"]),
            no_regression: named("thresholds", &["no_regression"]),
            no_slower: read(&policy["thresholds"]["no_slower"]),
            no_costlier: read(&policy["thresholds"]["no_costlier"]),
            undecided: read(&policy["thresholds"]["undecided"]),
            decide: truth("decide"),
            no_changed_prompts: truth("no_changed_prompts"),
            no_changed_steps: truth("no_changed_steps"),
            no_missing_cases: truth("no_missing_cases"),
            no_new_failures: truth("no_new_failures"),
        }
    }
}

/// A stored setting; `None` if it is absent.
fn read<T: DeserializeOwned>(stored: &Value) -> Option<T> {
    T::deserialize(stored).ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn thresholds_round_trip_through_summary() {
        let thresholds = Thresholds {
            max_avg_wall_ms_delta_pct: Some(0.1),
            min_pass_rate: Some(0.9),
            no_new_failures: true,
            no_changed_steps: true,
            no_changed_prompts: true,
            decide: true,
            ..Thresholds::default()
        };
        // The values as written are percentages here, so they must not be used if the threshold itself is present.
        let written = json!({ "max_avg_wall_ms_delta_pct": 10, "min_pass_rate": 0.9, "no_new_failures": true });
        let summary = json!({ "policy_snapshot": { "thresholds": thresholds, "regression": written } });
        assert_eq!(Thresholds::of_summary(&summary), thresholds);
        assert_eq!(Thresholds::of_summary(&json!({})), Thresholds::default());
    }

    #[test]
    fn accepts_runledger_thresholds() {
        let summary = json!({ "policy_snapshot": {
            "thresholds": { "min_pass_rate": 1.0 },
            "regression": { "min_pass_rate": 1.0, "max_p95_wall_ms_increase_pct": 0.5 },
        } });
        let expected =
            Thresholds { min_pass_rate: Some(1.0), max_p95_wall_ms_delta_pct: Some(0.5), ..Thresholds::default() };
        assert_eq!(Thresholds::of_summary(&summary), expected);
        let mean = |place: &str, written: f64| {
            let summary = json!({ "policy_snapshot": { place: { "max_avg_wall_ms_delta_pct": written } } });
            Thresholds::of_summary(&summary).max_avg_wall_ms_delta_pct
        };
        assert_eq!([0.2, 0.99, 1.0, 10.0].map(|written| mean("regression", written)), [0.2, 0.99, 0.01, 0.1].map(Some));
        // A stored threshold is a fraction.
        assert_eq!(mean("thresholds", 10.0), Some(10.0));
    }
}
