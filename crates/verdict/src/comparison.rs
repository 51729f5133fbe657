//! What a comparison with a baseline says.

use serde::{Deserialize, Serialize};

use crate::{CallStep, CaseStatus, PromptChange};

/// A run beside its baseline.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// Whether no gate failed.
    pub passed: bool,
    /// Every gate there is, in a fixed order; those that were not asked for are skipped.
    pub checks: Vec<GateCheck>,
    /// How the numbers of the run changed.
    pub metrics: MetricChanges,
    /// How the cases changed.
    pub case_diffs: CaseChanges,
    /// What else is worth knowing, a sentence each.
    pub warnings: Vec<String>,
}

/// Something that is asked of a run as a whole.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum Gate {
    /// Enough cases pass.
    #[default]
    MinPassRate,
    /// The mean wall time does not grow too much.
    MaxAvgWallMsDeltaPct,
    /// The wall time that only one in twenty cases exceeds does not grow too much.
    #[serde(rename = "max_p95_wall_ms_delta_pct")]
    MaxP95WallMsDeltaPct,
    /// No case fails that did not fail in the baseline.
    NoNewFailures,
    /// Every case of the baseline was run.
    NoMissingCases,
    /// Every case calls the tools that it called in the baseline.
    NoChangedSteps,
    /// Models are asked with the prompts, tools and parameters of the baseline.
    NoChangedPrompts,
}

impl Gate {
    /// The word for it.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// Whether it looks at how cases ended. The others say nothing about a run in which no case passed.
    pub(crate) fn looks_at_outcomes(self) -> bool {
        matches!(self, Gate::MinPassRate | Gate::NoNewFailures)
    }
}

/// What became of a gate.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GateStatus {
    /// It is open.
    Pass,
    /// The run must not get through.
    Fail,
    /// It was not looked at.
    #[default]
    Skipped,
}

/// One gate and what became of it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct GateCheck {
    /// Which gate.
    pub id: Gate,
    /// What became of it.
    pub status: GateStatus,
    /// The limit, if there is one: a share, a fraction, or how many cases may be concerned.
    pub threshold: Option<f64>,
    /// The baseline's number.
    pub baseline: Option<f64>,
    /// This run's number.
    pub current: Option<f64>,
    /// How much more it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delta: Option<f64>,
    /// How much more it is, as a fraction of the baseline's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delta_pct: Option<f64>,
    /// How many milliseconds more a wall time must be to fail the gate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_wall_ms_delta: Option<f64>,
    /// The cases concerned.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cases: Vec<String>,
    /// The cases that grew most, where time is the matter and the gate failed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub slower: Vec<SlowerCase>,
    /// What changed first, where prompts are the matter and the gate failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub change: Option<String>,
    /// Why it was not looked at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

impl GateCheck {
    /// A gate that was not looked at.
    pub(crate) fn skipped(id: Gate, threshold: Option<f64>, note: impl Into<String>) -> Self {
        Self { note: Some(note.into()), ..Self::judged(id, threshold, GateStatus::Skipped) }
    }

    /// A gate without numbers as yet.
    pub(crate) fn judged(id: Gate, threshold: Option<f64>, status: GateStatus) -> Self {
        Self { id, status, threshold, ..Self::default() }
    }
}

/// A case that takes longer than it did.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SlowerCase {
    /// The case.
    pub id: String,
    /// How long it took in the baseline, in milliseconds.
    pub baseline: f64,
    /// How long it takes now.
    pub current: f64,
}

/// How the numbers of a run changed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct MetricChanges {
    /// Passed cases among those that ran.
    pub pass_rate: RateChange,
    /// Wall times.
    pub wall_ms: WallChanges,
}

/// How a share changed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct RateChange {
    /// The baseline's.
    pub baseline: Option<f64>,
    /// This run's.
    pub current: f64,
    /// How much more it is.
    pub delta: Option<f64>,
}

/// How wall times changed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct WallChanges {
    /// The mean.
    pub mean: WallChange,
    /// What only one in twenty cases exceeds.
    pub p95: WallChange,
}

/// How a wall time changed, in milliseconds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct WallChange {
    /// The baseline's.
    pub baseline: Option<f64>,
    /// This run's.
    pub current: Option<f64>,
    /// How much more it is, as a fraction of the baseline's.
    pub delta_pct: Option<f64>,
}

/// How the cases of a run changed.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct CaseChanges {
    /// Cases of the baseline that are no part of this run.
    pub missing_in_current: Vec<String>,
    /// Cases that the baseline does not have.
    pub new_in_current: Vec<String>,
    /// Cases that ended otherwise.
    pub status_changed: Vec<StatusChange>,
    /// Cases whose tool calls are others.
    #[serde(default)]
    pub steps_changed: Vec<StepChange>,
    /// What models are asked with that is not what it was.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub prompts_changed: Vec<PromptChange>,
    /// Cases whose answers are further from the expected ones.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub similarity_dropped: Vec<SimilarityChange>,
}

/// A case whose answer is further from the expected one, as the same embedder has it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SimilarityChange {
    /// The case.
    pub id: String,
    /// How near it was in the baseline.
    pub baseline: f64,
    /// How near it is now.
    pub current: f64,
    /// Who says so.
    pub embedder: String,
}

/// A case that ended otherwise.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StatusChange {
    /// The case.
    pub id: String,
    /// How it ended in the baseline.
    pub baseline: CaseStatus,
    /// How it ended now.
    pub current: CaseStatus,
}

/// A case whose tool calls are others.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepChange {
    /// The case.
    pub id: String,
    /// The first call that differs, from 1.
    pub first_difference: usize,
    /// That call in the baseline, if it went on.
    pub baseline: Option<CallStep>,
    /// The calls that came after it there, as far as it takes to see where it was going.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub baseline_after: Vec<CallStep>,
    /// That call now, if the agent went on.
    pub current: Option<CallStep>,
}
