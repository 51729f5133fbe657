//! Requirements for a run as a whole, in addition to its cases.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde_json::Value;

use agentci_source::{Diagnostic, Span, Spanned};

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
    /// The accepted share of false alarms of the gate on pass rates that knows noise.
    pub no_regression: Option<Spanned<f64>>,
    /// The gate on wall times that knows noise.
    pub no_slower: Option<Spanned<GrowthGate>>,
    /// The gate on costs that knows noise.
    pub no_costlier: Option<Spanned<GrowthGate>>,
    /// Whether these gates fail if there are too few runs to tell; if not set, they pass but forgive no failed case.
    pub undecided_fails: Option<Spanned<bool>>,
    /// Whether the gates alone decide the result of the run, whatever cases failed.
    pub decide: Option<Spanned<bool>>,
    /// All gates as the suite writes them.
    pub written: Value,
    /// The keys in the suite: each under the name of its gate or `baseline`, and all of them under
    /// [`Gates::MAPPING`].
    pub keys: BTreeMap<String, Span>,
}

/// A gate on times or costs that knows noise.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GrowthGate {
    /// The accepted share of false alarms.
    pub alpha: f64,
    /// The smallest growth that can fail the gate, as a fraction.
    pub min_effect: f64,
}

impl Gates {
    /// The entry of [`Gates::keys`] for the gates as a whole.
    pub const MAPPING: &str = "gates";

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
            && self.no_regression.is_none()
            && self.no_slower.is_none()
            && self.no_costlier.is_none()
            && !asked(&self.decide)
    }

    /// The warning for gates that are to decide but cannot: none of them depends on whether cases pass.
    pub fn blind(&self) -> Option<Diagnostic> {
        let asked = |truth: &Option<Spanned<bool>>| truth.as_ref().is_some_and(|truth| truth.value);
        let decide = self.decide.as_ref().filter(|decide| decide.value)?;
        let looks = self.min_pass_rate.is_some() || self.no_regression.is_some() || asked(&self.no_new_failures);
        (!looks).then(|| {
            Diagnostic::warning(decide.span, "`decide` has no effect: no gate depends on whether cases pass")
                .label("nothing to decide on")
                .help("add `min_pass_rate`, `no_regression` or `no_new_failures`")
        })
    }

    /// Whether a wall-time threshold of a `RunLedger` suite is a percentage: 1 or more is, less is a fraction.
    pub fn is_percentage(written: f64) -> bool {
        written.abs() >= 1.0
    }

    /// The warning for a minimum difference of wall times that no gate uses.
    pub fn idle_difference(&self) -> Option<Diagnostic> {
        let percent = self.max_avg_wall_ms_delta_pct.is_some() || self.max_p95_wall_ms_delta_pct.is_some();
        let least = self.min_wall_ms_delta.as_ref().filter(|_| !percent)?;
        Some(
            Diagnostic::warning(least.span, "`min_wall_ms_delta` has no effect: no gate compares wall times")
                .label("has no effect")
                .help("add `max_avg_wall_ms_delta_pct` or `max_p95_wall_ms_delta_pct`"),
        )
    }

    /// The warning for `undecided` without a gate that can be undecided.
    pub fn idle_undecided(&self) -> Option<Diagnostic> {
        let undecided = self.undecided_fails.as_ref()?;
        let used = self.no_regression.is_some() || self.no_slower.is_some() || self.no_costlier.is_some();
        (!used).then(|| {
            Diagnostic::warning(undecided.span, "`undecided` has no effect: no gate can be undecided")
                .label("has no effect")
                .help("add `no_regression`, `no_slower` or `no_costlier`")
        })
    }

    /// Whether wall times are compared; cases that run at the same time would affect them.
    pub fn measures_time(&self) -> bool {
        self.max_avg_wall_ms_delta_pct.is_some() || self.max_p95_wall_ms_delta_pct.is_some() || self.no_slower.is_some()
    }
}
