//! A case of a run, as later runs are compared with it.

use serde::{Deserialize, Serialize};

use crate::aggregate::float;
use crate::{CallStep, CaseEnd, CaseRow, CaseSample, CaseStatus, Cause, Similarity};

/// A case of a baseline, or of a run that is compared with one.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct BaselineCase {
    /// The id of the case.
    pub id: String,
    /// The status of the case.
    pub status: CaseStatus,
    /// The wall time in milliseconds.
    pub wall_ms: f64,
    /// Its tool calls in order, if they were recorded.
    pub steps: Option<Vec<CallStep>>,
    /// Whether observers other than the agent's protocol saw calls: only then does the version of the rule matter.
    pub seen_by_others: bool,
    /// The ids of its prompts, if they could be observed.
    pub asked: Option<Vec<String>>,
    /// Whether it finished, so that it sent all its requests.
    pub came_to_its_end: bool,
    /// The similarity of its answer to the expected one, if it was measured.
    pub similarity: Option<Measure>,
    /// Whether nothing that it met varies from run to run, its model included.
    pub deterministic: bool,
    /// The maximum number of runs, if it was repeated until it was decided whether it got worse.
    pub most_runs: Option<u64>,
    /// Its results in this run.
    pub sample: CaseSample,
    /// Its results in all runs of the baseline; in a run that is compared with one, those of this run.
    pub history: CaseHistory,
}

/// The similarity of an answer to the expected one, and the embedder that measured it.
#[derive(Debug, Clone, PartialEq)]
pub struct Measure {
    /// The similarity, rounded to four decimals.
    pub similarity: f64,
    /// The id of the embedder.
    pub embedder: String,
}

impl Measure {
    /// The lowest similarity of an attempt, which decides.
    pub fn of(end: &CaseEnd) -> Option<Self> {
        let least = Similarity::least(&end.similarities)?;
        let similarity = (least.similarity * 10_000.0).round() / 10_000.0;
        Some(Self { similarity, embedder: least.embedder.clone() })
    }

    /// The similarity as reports show it: from 0 to 1, with four decimals.
    pub fn shown(&self) -> String {
        Similarity { similarity: self.similarity, ..Similarity::default() }.shown()
    }
}

/// The results of a case over several attempts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CaseHistory {
    /// The number of attempts.
    pub runs: u64,
    /// The number of attempts that passed.
    pub passes: u64,
}

impl From<CaseSample> for CaseHistory {
    fn from(sample: CaseSample) -> Self {
        Self { runs: sample.runs, passes: sample.passes }
    }
}

impl CaseHistory {
    /// The sum of both.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self { runs: self.runs.saturating_add(other.runs), passes: self.passes.saturating_add(other.passes) }
    }

    /// Whether some runs passed and some did not.
    pub fn is_mixed(self) -> bool {
        self.passes > 0 && self.passes < self.runs
    }
}

impl BaselineCase {
    /// A case of a run. If it ran several times, the attempt that reports show stands for its steps.
    pub(super) fn of(row: &CaseRow) -> Self {
        let (end, sample) = (row.decisive(), CaseSample::of(row));
        Self {
            id: row.id().to_string(),
            status: end.status,
            wall_ms: sample.wall_ms.unwrap_or(float(end.wall_ms)),
            steps: Some(end.metrics.steps.clone()),
            seen_by_others: !end.calls.is_empty(),
            asked: row.asked(),
            came_to_its_end: came_to_its_end(end.cause),
            similarity: Measure::of(end),
            deterministic: end.deterministic,
            most_runs: end.most_runs.map(u64::from),
            sample,
            history: sample.into(),
        }
    }
}

/// Whether a case with this cause finished.
pub(super) fn came_to_its_end(cause: Option<Cause>) -> bool {
    let Some(cause) = cause else { return true };
    matches!(cause, Cause::Check | Cause::ModelNeverAsked)
        || matches!(cause, Cause::ToolNotOffered | Cause::ArgumentsDoNotFit | Cause::FormatNotMet)
}
