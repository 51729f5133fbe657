//! Cases that are repeated until it is decided whether they got worse.
//!
//! Runs stop because of what they showed, so p-values are invalid here and e-values are used: see
//! [`SequentialEvidence`].

use agentci_statistics::{Counts, SequentialEvidence, SequentialResult, SequentialTable, StoppingRule};

use super::pass_rates::past;
use crate::baseline::mode_of;
use crate::{Baseline, CaseHistory, Policy};

/// The most runs of a case without a history: it is repeated only until it passes once.
pub(super) const NEW_CASE_RUNS: u64 = 5;

/// Decides after each run of a case whether another one is needed.
#[derive(Debug)]
pub struct RepeatRule<'b> {
    baseline: &'b Baseline,
    mode: String,
    bars: StoppingRule,
}

impl Policy {
    /// The rule for repeating the cases of a suite with this number of cases. `None` if there is nothing to decide:
    /// the gate `no_regression` is not set, or there is no baseline.
    pub fn repeats(&self, mode: &str, cases: usize) -> Option<RepeatRule<'_>> {
        let (alpha, baseline) = (self.thresholds.no_regression?, self.baseline.as_ref()?.as_ref().ok()?);
        // Half of alpha, which the gate uses if some cases have a fixed number of runs: a case that stops as worse is
        // red whatever the others show.
        let bars = StoppingRule::new(cases, alpha / 2.0, alpha);
        Some(RepeatRule { baseline, mode: mode_of(mode), bars })
    }
}

impl RepeatRule<'_> {
    /// Whether no further run of the case is needed after these results.
    pub fn is_decided(&self, case: &str, results: CaseHistory) -> bool {
        let history = past(self.baseline, case, &self.mode);
        let current = Counts { passes: results.passes, runs: results.runs };
        if history.runs == 0 {
            return current.passes > 0 || current.runs >= NEW_CASE_RUNS;
        }
        let evidence = SequentialEvidence::of(history, current, SequentialEvidence::DROP);
        self.bars.result(&evidence) != SequentialResult::Open
    }
}

/// A case that was repeated until it was decided.
#[derive(Debug, Clone, Copy)]
pub(super) struct RepeatedCase {
    /// The maximum number of runs.
    pub(super) most: u64,
    pub(super) regressed_e: f64,
    unchanged_e: f64,
}

impl RepeatedCase {
    pub(super) fn new(most: u64, evidence: &SequentialEvidence) -> Self {
        // Numbers in JSON are finite.
        let finite = |e: f64| e.min(1e300);
        Self { most, regressed_e: finite(evidence.regressed_e()), unchanged_e: finite(evidence.unchanged_e()) }
    }

    /// A p-value that stays valid whenever the runs stop.
    pub(super) fn p(&self) -> f64 {
        1.0 / self.regressed_e.max(1.0)
    }

    /// Whether a drop that matters is refuted.
    pub(super) fn is_unchanged(&self, alpha: f64) -> bool {
        self.unchanged_e >= 1.0 / alpha
    }

    /// The number of runs that the case was given to show a drop: all that were planned if it was decided earlier.
    pub(super) fn chances(&self, current: Counts, alpha: f64, level: f64) -> u64 {
        if self.is_unchanged(alpha) || self.p() <= level { self.most } else { current.runs }
    }
}

/// The highest pass rate that would be noticed within these runs.
pub(super) fn detectable(history: Counts, runs: u64, bars: StoppingRule, power: f64) -> Option<f64> {
    SequentialTable::new(history, runs).detectable_rate(bars, power)
}
