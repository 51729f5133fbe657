//! Aggregates over all cases of a run.

use serde::{Deserialize, Serialize};

use crate::{CaseRow, CaseStatus, Distribution, Metrics, Rows};

/// Counts and spreads over the cases of a run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Aggregates {
    /// Cases that ran or were skipped.
    pub cases_total: usize,
    /// Cases that passed.
    pub cases_pass: usize,
    /// Cases that failed.
    pub cases_fail: usize,
    /// Cases that ended with an error.
    pub cases_error: usize,
    /// Cases that were skipped.
    pub cases_skipped: usize,
    /// The share of passed cases among those that ran; 0 if none ran.
    pub pass_rate: f64,
    /// Tool calls of all cases.
    pub tool_calls: u64,
    /// Tool errors of all cases.
    pub tool_errors: u64,
    /// Model calls of all cases; absent if none were observed.
    #[serde(default)]
    pub model_calls: Option<u64>,
    /// Wall time of each case, in milliseconds.
    pub wall_ms: Option<Spread>,
    /// Tool calls of each case.
    pub tool_calls_per_case: Option<Spread>,
    /// Tool errors of each case.
    pub tool_errors_per_case: Option<Spread>,
    /// Model calls of each case whose model was observed.
    #[serde(default)]
    pub model_calls_per_case: Option<Spread>,
    /// Input tokens of each case that reports them.
    pub tokens_in: Option<Spread>,
    /// Output tokens of each case that reports them.
    pub tokens_out: Option<Spread>,
    /// Cost of each case that reports it.
    pub cost_usd: Option<Spread>,
}

/// The distribution of a number over the cases. Percentiles use the nearest-rank method, so each is a value that
/// occurred.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Spread {
    /// The minimum.
    pub min: f64,
    /// The median.
    pub p50: f64,
    /// The 95th percentile.
    pub p95: f64,
    /// The mean.
    pub mean: f64,
    /// The maximum.
    pub max: f64,
}

impl Spread {
    /// The distribution of some values, if there are any.
    pub fn of(values: impl IntoIterator<Item = f64>) -> Option<Self> {
        values.into_iter().collect::<Distribution>().spread()
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts and milliseconds stay far below 2^53")]
pub(crate) fn float(number: u64) -> f64 {
    number as f64
}

/// Counts cases one after another, in the memory of the numbers that differ.
#[derive(Debug, Clone, Default)]
pub struct AggregateTally {
    passed: usize,
    failed: usize,
    errors: usize,
    skipped: usize,
    tool_calls: u64,
    tool_errors: u64,
    model_calls: Option<u64>,
    wall_ms: Distribution,
    tool_calls_per_case: Distribution,
    tool_errors_per_case: Distribution,
    model_calls_per_case: Distribution,
    tokens_in: Distribution,
    tokens_out: Distribution,
    cost_usd: Distribution,
}

impl AggregateTally {
    /// Adds a case; a skipped one only counts in the totals.
    pub fn add(&mut self, row: &CaseRow) {
        let end = row.decisive();
        let Metrics { tool_calls, tool_errors, model_calls, usage, .. } = end.metrics;
        match end.status {
            CaseStatus::Pass => self.passed += 1,
            CaseStatus::Fail => self.failed += 1,
            CaseStatus::Error => self.errors += 1,
            CaseStatus::Skipped => {
                self.skipped += 1;
                return;
            }
        }
        self.tool_calls += tool_calls;
        self.tool_errors += tool_errors;
        self.model_calls = self.model_calls.into_iter().chain(model_calls).reduce(u64::saturating_add);
        self.wall_ms.add(float(end.wall_ms));
        self.tool_calls_per_case.add(float(tool_calls));
        self.tool_errors_per_case.add(float(tool_errors));
        self.model_calls_per_case.extend(model_calls.map(float));
        self.tokens_in.extend(usage.tokens_in.map(float));
        self.tokens_out.extend(usage.tokens_out.map(float));
        self.cost_usd.extend(usage.cost_usd);
    }

    /// The aggregates of the cases so far.
    pub fn aggregates(&self) -> Aggregates {
        let ran = self.passed + self.failed + self.errors;
        Aggregates {
            cases_total: ran + self.skipped,
            cases_pass: self.passed,
            cases_fail: self.failed,
            cases_error: self.errors,
            cases_skipped: self.skipped,
            pass_rate: if ran == 0 { 0.0 } else { float(self.passed as u64) / float(ran as u64) },
            tool_calls: self.tool_calls,
            tool_errors: self.tool_errors,
            model_calls: self.model_calls,
            wall_ms: self.wall_ms.spread(),
            tool_calls_per_case: self.tool_calls_per_case.spread(),
            tool_errors_per_case: self.tool_errors_per_case.spread(),
            model_calls_per_case: self.model_calls_per_case.spread(),
            tokens_in: self.tokens_in.spread(),
            tokens_out: self.tokens_out.spread(),
            cost_usd: self.cost_usd.spread(),
        }
    }
}

impl Aggregates {
    /// The aggregates of these rows; skipped cases only count in the totals.
    pub fn of(rows: &Rows) -> Self {
        let mut tally = AggregateTally::default();
        rows.iter().for_each(|row| tally.add(row));
        tally.aggregates()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_observed_values() {
        let spread = Spread::of([10.0, 40.0, 20.0, 30.0]).unwrap();
        assert_eq!(spread, Spread { min: 10.0, p50: 20.0, p95: 40.0, mean: 25.0, max: 40.0 });
        let hundred = Spread::of((1..=100).map(f64::from)).unwrap();
        assert_eq!((hundred.p50, hundred.p95), (50.0, 95.0));
        assert_eq!(Spread::of([7.0]), Some(Spread { min: 7.0, p50: 7.0, p95: 7.0, mean: 7.0, max: 7.0 }));
        assert_eq!(Spread::of([]), None);
    }
}
