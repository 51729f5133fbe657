//! Decides whether cases pass less often than their history.
//!
//! - Each case is compared with its history by Fisher's exact test, with the false discovery rate kept across cases, and
//!   the suite as a whole by the Cochran-Mantel-Haenszel test. Each part may use half of alpha.
//! - A case that was repeated until it was decided is compared by its e-value instead. Its inverse is a p-value, so both
//!   kinds of cases share the correction. The suite test takes only cases with a fixed number of runs; without any, the
//!   cases may use all of alpha.
//! - A case whose world does not vary and that never failed before must not fail at all.

use agentci_statistics::{Counts, SequentialEvidence, benjamini_hochberg, fisher_lower, mantel_haenszel_lower};

use super::repeats::RepeatedCase;
use super::{CaseTrend, Trend};
use crate::{BaselineCase, CaseHistory};

/// A case with its history.
pub(super) struct ComparedCase<'c> {
    pub(super) id: &'c str,
    pub(super) history: Counts,
    pub(super) current: Counts,
    pub(super) deterministic: bool,
    /// Set if it was repeated until it was decided.
    pub(super) repeated: Option<RepeatedCase>,
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
        let current = Counts { passes: case.sample.passes, runs: case.sample.runs };
        let evidence = || SequentialEvidence::of(history, current, SequentialEvidence::DROP);
        let repeated = case.most_runs.filter(|_| !case.deterministic).map(|most| RepeatedCase::new(most, &evidence()));
        Self { id: &case.id, history, current, deterministic: case.deterministic, repeated }
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

    /// The probability that chance alone makes it look as bad as it does.
    fn p(&self) -> f64 {
        self.repeated.map_or_else(|| fisher_lower(self.history, self.current), |repeated| repeated.p())
    }

    /// Whether its world does not vary, and it fails now without ever having failed.
    fn fails_for_the_first_time(&self) -> bool {
        self.deterministic && self.history.failures() == 0 && self.current.failures() > 0
    }

    /// Whether the case did not get worse, unless it turns out to be significant. A case that was repeated must have
    /// refuted the drop that matters; otherwise, the runs must be able to show it if the case failed each time.
    fn is_clear(&self, p: f64, alpha: f64, level: f64) -> bool {
        match self.repeated {
            Some(repeated) => repeated.is_unchanged(alpha),
            None => p >= level && self.break_would_be_noticed(level),
        }
    }

    fn break_would_be_noticed(&self, level: f64) -> bool {
        let never = Counts { passes: 0, ..self.current };
        self.deterministic || self.history.passes == 0 || fisher_lower(self.history, never) <= level
    }
}

impl RateDecision {
    pub(super) fn of(compared: &[ComparedCase<'_>], alpha: f64) -> Self {
        let fixed = compared.iter().filter(|one| one.repeated.is_none());
        let strata: Vec<(Counts, Counts)> = fixed.map(|one| (one.history, one.current)).collect();
        let suite_p = mantel_haenszel_lower(&strata);
        let cases = trends(compared, alpha);
        Self { suite_p, suite_regressed: suite_p.is_some_and(|p| p < alpha / 2.0), cases }
    }

    pub(super) fn is_regressed(&self) -> bool {
        self.suite_regressed || self.cases.iter().any(|case| case.trend == Trend::Regressed)
    }
}

/// The level of the cases together: the suite test uses the other half of alpha, if it takes place.
pub(super) fn level_of_cases(compared: &[ComparedCase<'_>], alpha: f64) -> f64 {
    if compared.iter().all(|one| one.repeated.is_some()) { alpha } else { alpha / 2.0 }
}

/// The cases that got worse or are undecided.
fn trends(compared: &[ComparedCase<'_>], alpha: f64) -> Vec<CaseTrend> {
    let level = level_of_cases(compared, alpha);
    let p: Vec<f64> = compared.iter().map(ComparedCase::p).collect();
    let adjusted = benjamini_hochberg(&p);
    let mut cases = Vec::new();
    for ((one, p), adjusted) in compared.iter().zip(p).zip(adjusted) {
        let trend = if adjusted <= level || one.fails_for_the_first_time() {
            Trend::Regressed
        } else if !one.is_clear(p, alpha, level) {
            Trend::Undecided
        } else {
            continue;
        };
        let e_value = one.repeated.map(|repeated| repeated.regressed_e);
        cases.push(CaseTrend { p: e_value.is_none().then_some(p), e_value, ..one.trend(trend) });
    }
    cases
}
