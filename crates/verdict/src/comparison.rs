//! The result of a comparison with a baseline.

use serde::{Deserialize, Serialize};

use crate::{CallStep, CaseStatus, NoiseReport, PromptChange};

/// A run compared with its baseline.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// Whether no gate failed.
    pub passed: bool,
    /// All gates in a fixed order; gates that are not set are skipped.
    pub checks: Vec<GateCheck>,
    /// Changes in the metrics of the run.
    pub metrics: MetricChanges,
    /// Changes in the cases.
    pub case_diffs: CaseChanges,
    /// Warnings.
    pub warnings: Vec<String>,
}

/// A condition for a run as a whole.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum Gate {
    /// The pass rate is high enough.
    #[default]
    MinPassRate,
    /// The mean wall time does not grow too much.
    MaxAvgWallMsDeltaPct,
    /// The 95th percentile of the wall time does not grow too much.
    #[serde(rename = "max_p95_wall_ms_delta_pct")]
    MaxP95WallMsDeltaPct,
    /// No case fails that did not fail in the baseline.
    NoNewFailures,
    /// Every case of the baseline was run.
    NoMissingCases,
    /// Every case calls the tools that it called in the baseline.
    NoChangedSteps,
    /// Models are called with the prompts, tools and parameters of the baseline.
    NoChangedPrompts,
    /// No case passes less often than before, by more than chance explains.
    NoRegression,
    /// No case takes longer than before, by more than chance explains.
    NoSlower,
    /// No case costs more than before, by more than chance explains.
    NoCostlier,
}

impl Gate {
    /// Its name in files and reports.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// Whether it considers how cases ended. The other gates say nothing about a run in which no case passed.
    pub(crate) fn looks_at_outcomes(self) -> bool {
        matches!(self, Gate::MinPassRate | Gate::NoNewFailures | Gate::NoRegression)
    }
}

/// The result of a gate.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GateStatus {
    /// The gate passed.
    Pass,
    /// The gate failed.
    Fail,
    /// The gate passed, because there are too few runs to tell.
    Undecided,
    /// The gate was not evaluated.
    #[default]
    Skipped,
}

/// One gate and its result.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct GateCheck {
    /// The gate.
    pub id: Gate,
    /// The result.
    pub status: GateStatus,
    /// The limit, if there is one: a rate, a fraction, or the number of cases that may be concerned.
    pub threshold: Option<f64>,
    /// The value of the baseline.
    pub baseline: Option<f64>,
    /// The value of this run.
    pub current: Option<f64>,
    /// The difference from the baseline.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delta: Option<f64>,
    /// The difference as a fraction of the baseline's value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delta_pct: Option<f64>,
    /// The minimum difference in milliseconds for a wall time to fail the gate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_wall_ms_delta: Option<f64>,
    /// The ids of the cases concerned.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cases: Vec<String>,
    /// The cases whose wall time grew most, if a wall time gate failed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub slower: Vec<SlowerCase>,
    /// The first change, if the gate for prompts failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub change: Option<String>,
    /// What a gate that knows noise found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub noise: Option<Box<NoiseReport>>,
    /// Why the gate was not evaluated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

impl GateCheck {
    /// A gate that was not evaluated.
    pub(crate) fn skipped(id: Gate, threshold: Option<f64>, note: impl Into<String>) -> Self {
        Self { note: Some(note.into()), ..Self::judged(id, threshold, GateStatus::Skipped) }
    }

    /// A gate with a result and no values yet.
    pub(crate) fn judged(id: Gate, threshold: Option<f64>, status: GateStatus) -> Self {
        Self { id, status, threshold, ..Self::default() }
    }
}

/// A case that takes longer than in the baseline, or that is new and takes longer than cases did there.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SlowerCase {
    /// The id of the case.
    pub id: String,
    /// Its wall time in the baseline, in milliseconds; null if it did not run there.
    pub baseline: Option<f64>,
    /// Its wall time in this run, in milliseconds.
    pub current: f64,
}

/// Changes in the metrics of a run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct MetricChanges {
    /// The share of passed cases among those that ran.
    pub pass_rate: RateChange,
    /// Wall times.
    pub wall_ms: WallChanges,
}

/// The change of a rate.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct RateChange {
    /// The value of the baseline.
    pub baseline: Option<f64>,
    /// The value of this run.
    pub current: f64,
    /// The difference from the baseline.
    pub delta: Option<f64>,
}

/// Changes in wall times.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct WallChanges {
    /// The mean wall time.
    pub mean: WallChange,
    /// The 95th percentile of the wall time.
    pub p95: WallChange,
}

/// The change of a wall time, in milliseconds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct WallChange {
    /// The value of the baseline.
    pub baseline: Option<f64>,
    /// The value of this run.
    pub current: Option<f64>,
    /// The difference as a fraction of the baseline's value.
    pub delta_pct: Option<f64>,
}

/// Changes in the cases of a run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct CaseChanges {
    /// Cases of the baseline that are not in this run.
    pub missing_in_current: Vec<String>,
    /// Cases that are not in the baseline.
    pub new_in_current: Vec<String>,
    /// Cases with a different status.
    pub status_changed: Vec<StatusChange>,
    /// Cases with different tool calls.
    #[serde(default)]
    pub steps_changed: Vec<StepChange>,
    /// Changes in the prompts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub prompts_changed: Vec<PromptChange>,
    /// Cases whose similarity to the expected answer dropped.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub similarity_dropped: Vec<SimilarityChange>,
}

/// A case whose similarity to the expected answer dropped, measured by the same embedder.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SimilarityChange {
    /// The id of the case.
    pub id: String,
    /// Its similarity in the baseline.
    pub baseline: f64,
    /// Its similarity in this run.
    pub current: f64,
    /// The id of the embedder.
    pub embedder: String,
}

/// A case with a different status.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StatusChange {
    /// The id of the case.
    pub id: String,
    /// Its status in the baseline.
    pub baseline: CaseStatus,
    /// Its status in this run.
    pub current: CaseStatus,
}

/// A case with different tool calls.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepChange {
    /// The id of the case.
    pub id: String,
    /// The number of the first call that differs, from 1.
    pub first_difference: usize,
    /// That call in the baseline, if there is one.
    pub baseline: Option<CallStep>,
    /// The next calls in the baseline, to show how it continued.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub baseline_after: Vec<CallStep>,
    /// That call in this run, if there is one.
    pub current: Option<CallStep>,
}
