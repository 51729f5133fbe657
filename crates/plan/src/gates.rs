//! Requirements for a run as a whole, in addition to its cases.

use std::path::PathBuf;

use serde_json::Value;

use agentci_source::{Diagnostic, Spanned};

/// Requirements for a run: a baseline, and how much worse than it the run may be. Wall times are compared as fractions,
/// however the suite writes them: 0.1 allows a tenth more.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Gates {
    /// The summary of an earlier run.
    pub baseline: Option<Spanned<PathBuf>>,
    /// The minimum share of cases that must pass, from 0 to 1.
    pub min_pass_rate: Option<Spanned<f64>>,
    /// The maximum increase of the mean wall time, as a fraction of the baseline's.
    pub max_avg_wall_ms_delta_pct: Option<Spanned<f64>>,
    /// The maximum increase of the 95th percentile of wall times, as a fraction of the baseline's.
    pub max_p95_wall_ms_delta_pct: Option<Spanned<f64>>,
    /// The minimum increase of a wall time, in milliseconds, that can fail a gate.
    pub min_wall_ms_delta: Option<Spanned<f64>>,
    /// Whether only cases that failed in the baseline may fail.
    pub no_new_failures: Option<Spanned<bool>>,
    /// Whether every case of the baseline must run.
    pub no_missing_cases: Option<Spanned<bool>>,
    /// Whether every case must call the tools that it called in the baseline, with the same arguments.
    pub no_changed_steps: Option<Spanned<bool>>,
    /// Whether models must be called with the prompts, tools and parameters of the baseline.
    pub no_changed_prompts: Option<Spanned<bool>>,
    /// Whether the gates alone decide the result of the run, whatever cases failed.
    pub decide: Option<Spanned<bool>>,
    /// All gates as the suite writes them.
    pub written: Value,
}

impl Gates {
    /// Whether no gate is set.
    pub fn is_empty(&self) -> bool {
        let asked = |truth: &Option<Spanned<bool>>| truth.as_ref().is_some_and(|truth| truth.value);
        self.baseline.is_none()
            && self.min_pass_rate.is_none()
            && !self.measures_time()
            && !asked(&self.no_new_failures)
            && !asked(&self.no_missing_cases)
            && !asked(&self.no_changed_steps)
            && !asked(&self.no_changed_prompts)
            && !asked(&self.decide)
    }

    /// The warning for gates that are to decide but cannot: none of them depends on whether cases pass.
    pub fn blind(&self) -> Option<Diagnostic> {
        let asked = |truth: &Option<Spanned<bool>>| truth.as_ref().is_some_and(|truth| truth.value);
        let decide = self.decide.as_ref().filter(|decide| decide.value)?;
        let looks = self.min_pass_rate.is_some() || asked(&self.no_new_failures);
        (!looks).then(|| {
            Diagnostic::warning(decide.span, "`decide` has no effect: no gate depends on whether cases pass")
                .label("nothing to decide on")
                .help("add `min_pass_rate` or `no_new_failures`")
        })
    }

    /// Whether a wall-time threshold of a `RunLedger` suite is a percentage: 1 or more is, less is a fraction.
    pub fn is_percentage(written: f64) -> bool {
        written.abs() >= 1.0
    }

    /// The warning for a minimum difference of wall times that no gate uses.
    pub fn idle_difference(&self) -> Option<Diagnostic> {
        let least = self.min_wall_ms_delta.as_ref().filter(|_| !self.measures_time())?;
        Some(
            Diagnostic::warning(least.span, "`min_wall_ms_delta` has no effect: no gate compares wall times")
                .label("has no effect")
                .help("add `max_avg_wall_ms_delta_pct` or `max_p95_wall_ms_delta_pct`"),
        )
    }

    /// Whether wall times are compared; cases that run at the same time would affect them.
    pub fn measures_time(&self) -> bool {
        self.max_avg_wall_ms_delta_pct.is_some() || self.max_p95_wall_ms_delta_pct.is_some()
    }
}
