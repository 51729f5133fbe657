//! What a run as a whole must come to, beside its cases.

use std::path::PathBuf;

use serde_json::Value;

use agentci_source::{Diagnostic, Spanned};

/// What a run is held against: a baseline, and how far it may fall behind. Wall times are compared as fractions, whatever the
/// suite writes: 0.1 allows a tenth more.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Gates {
    /// The summary of an earlier run.
    pub baseline: Option<Spanned<PathBuf>>,
    /// The least share of cases that must pass, from 0 to 1.
    pub min_pass_rate: Option<Spanned<f64>>,
    /// How much more the mean wall time may be, as a fraction of the baseline's.
    pub max_avg_wall_ms_delta_pct: Option<Spanned<f64>>,
    /// The same for the wall time that only one in twenty cases exceeds.
    pub max_p95_wall_ms_delta_pct: Option<Spanned<f64>>,
    /// How many milliseconds more a wall time must be before it can fail a gate.
    pub min_wall_ms_delta: Option<Spanned<f64>>,
    /// Whether only cases may fail that failed in the baseline.
    pub no_new_failures: Option<Spanned<bool>>,
    /// Whether every case of the baseline must be run.
    pub no_missing_cases: Option<Spanned<bool>>,
    /// Whether every case must call the tools that it called in the baseline, with the same arguments.
    pub no_changed_steps: Option<Spanned<bool>>,
    /// Whether models must be asked with the prompts, tools and parameters of the baseline.
    pub no_changed_prompts: Option<Spanned<bool>>,
    /// Whether the gates alone decide what the run comes to, whatever cases failed.
    pub decide: Option<Spanned<bool>>,
    /// All of it as the suite has it.
    pub written: Value,
}

impl Gates {
    /// Whether nothing is asked for.
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

    /// What is wrong with gates that are to decide and can not: none of them looks at whether cases pass.
    pub fn blind(&self) -> Option<Diagnostic> {
        let asked = |truth: &Option<Spanned<bool>>| truth.as_ref().is_some_and(|truth| truth.value);
        let decide = self.decide.as_ref().filter(|decide| decide.value)?;
        let looks = self.min_pass_rate.is_some() || asked(&self.no_new_failures);
        (!looks).then(|| {
            Diagnostic::warning(decide.span, "`decide` is without effect: no gate looks at whether cases pass")
                .label("nothing to decide by")
                .help("add `min_pass_rate` or `no_new_failures`")
        })
    }

    /// Whether a wall-time threshold of a `RunLedger` suite is a percentage: 1 and more are, less is a fraction.
    pub fn is_percentage(written: f64) -> bool {
        written.abs() >= 1.0
    }

    /// What is wrong with a least difference of wall times that no gate looks at.
    pub fn idle_difference(&self) -> Option<Diagnostic> {
        let least = self.min_wall_ms_delta.as_ref().filter(|_| !self.measures_time())?;
        Some(
            Diagnostic::warning(least.span, "`min_wall_ms_delta` has no effect: no gate compares wall times")
                .label("without effect")
                .help("add `max_avg_wall_ms_delta_pct` or `max_p95_wall_ms_delta_pct`"),
        )
    }

    /// Whether wall times are compared, which other cases running at the same time would change.
    pub fn measures_time(&self) -> bool {
        self.max_avg_wall_ms_delta_pct.is_some() || self.max_p95_wall_ms_delta_pct.is_some()
    }
}
