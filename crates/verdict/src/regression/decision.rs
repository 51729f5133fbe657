//! Decides whether cases pass less often than their history.
//!
//! - Each case is compared with its history by Fisher's exact test, with the false discovery rate kept across cases, and
//!   the suite as a whole by the Cochran-Mantel-Haenszel test. Each part may use half of alpha.
//! - A case whose world does not vary and that never failed before must not fail at all.

use agentci_statistics::{Counts, benjamini_hochberg, fisher_lower, mantel_haenszel_lower};

use super::{CaseTrend, Trend};
use crate::{BaselineCase, CaseHistory};

/// A case with its history.
pub(super) struct ComparedCase<'c> {
    pub(super) id: &'c str,
    pub(super) history: Counts,
    pub(super) current: Counts,
    pub(super) deterministic: bool,
}

/// Which cases got worse, and whether the suite did.
pub(super) struct RateDecision {
    pub(super) suite_p: Option<f64>,
    pub(super) suite_regressed: bool,
    /// The cases that got worse or are undecided.
    pub(super) cases: Vec<CaseTrend>,
}

impl<'c> ComparedCase<'c> {
    pub(super) fn new(case: &'c BaselineCase, history: Counts) -> Self {
        Self {
            id: &case.id,
            history,
            current: Counts { passes: case.sample.passes, runs: case.sample.runs },
            deterministic: case.deterministic,
        }
    }

    fn trend(&self, trend: Trend) -> CaseTrend {
        let history = |counts: Counts| CaseHistory { passes: counts.passes, runs: counts.runs };
        CaseTrend {
            id: self.id.to_owned(),
            trend,
            history: history(self.history),
            current: history(self.current),
            deterministic: self.deterministic,
            ..CaseTrend::default()
        }
    }

    /// Whether its world does not vary, and it fails now without ever having failed.
    fn fails_for_the_first_time(&self) -> bool {
        self.deterministic && self.history.failures() == 0 && self.current.failures() > 0
    }

    /// Whether the runs would show it if the case failed each time.
    fn break_would_be_noticed(&self, level: f64) -> bool {
        let never = Counts { passes: 0, ..self.current };
        self.deterministic || self.history.passes == 0 || fisher_lower(self.history, never) <= level
    }
}

impl RateDecision {
    pub(super) fn of(compared: &[ComparedCase<'_>], alpha: f64) -> Self {
        let strata: Vec<(Counts, Counts)> = compared.iter().map(|one| (one.history, one.current)).collect();
        let suite_p = mantel_haenszel_lower(&strata);
        let cases = trends(compared, alpha);
        Self { suite_p, suite_regressed: suite_p.is_some_and(|p| p < alpha / 2.0), cases }
    }

    /// The level that a single case of several must reach to be significant.
    pub(super) fn level_of_one(cases: usize, alpha: f64) -> f64 {
        alpha / 2.0 / f64::from(u32::try_from(cases.max(1)).unwrap_or(u32::MAX))
    }

    pub(super) fn is_regressed(&self) -> bool {
        self.suite_regressed || self.cases.iter().any(|case| case.trend == Trend::Regressed)
    }
}

/// The cases that got worse or are undecided.
fn trends(compared: &[ComparedCase<'_>], alpha: f64) -> Vec<CaseTrend> {
    let level = alpha / 2.0;
    let p: Vec<f64> = compared.iter().map(|one| fisher_lower(one.history, one.current)).collect();
    let adjusted = benjamini_hochberg(&p);
    let mut cases = Vec::new();
    for ((one, p), adjusted) in compared.iter().zip(p).zip(adjusted) {
        let trend = if adjusted <= level || one.fails_for_the_first_time() {
            Trend::Regressed
        } else if p < level || !one.break_would_be_noticed(level) {
            Trend::Undecided
        } else {
            continue;
        };
        cases.push(CaseTrend { p: Some(p), ..one.trend(trend) });
    }
    cases
}
