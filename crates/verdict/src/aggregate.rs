//! Aggregates over all cases of a run.

use agentci_trace::Usage;
use serde::{Deserialize, Serialize};

use crate::{CaseRow, CaseStatus, Metrics, Rows};

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
        let mut values: Vec<f64> = values.into_iter().collect();
        values.sort_by(f64::total_cmp);
        let (min, max) = (*values.first()?, *values.last()?);
        let rank = |percent: usize| values[(values.len() * percent).div_ceil(100).max(1) - 1];
        #[expect(clippy::cast_precision_loss, reason = "there are fewer cases than a double can count")]
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        Some(Self { min, p50: rank(50), p95: rank(95), mean, max })
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts and milliseconds stay far below 2^53")]
pub(crate) fn float(number: u64) -> f64 {
    number as f64
}

/// The numbers of a case, copied: iterating over the rows once per number would be much slower.
#[derive(Clone, Copy)]
struct CaseNumbers {
    status: CaseStatus,
    wall_ms: u64,
    tool_calls: u64,
    tool_errors: u64,
    model_calls: Option<u64>,
    usage: Usage,
}

impl CaseNumbers {
    fn of(row: &CaseRow) -> Self {
        let end = row.decisive();
        let Metrics { tool_calls, tool_errors, model_calls, usage, .. } = end.metrics;
        Self { status: end.status, wall_ms: end.wall_ms, tool_calls, tool_errors, model_calls, usage }
    }
}

impl Aggregates {
    /// The aggregates of these rows; skipped cases only count in the totals.
    pub fn of(rows: &Rows) -> Self {
        let mut cases: Vec<CaseNumbers> = rows.iter().map(CaseNumbers::of).collect();
        cases.retain(|case| case.status != CaseStatus::Skipped);
        let count = |status| cases.iter().filter(|case| case.status == status).count();
        let cases_pass = count(CaseStatus::Pass);
        let each = |value: fn(&CaseNumbers) -> Option<f64>| Spread::of(cases.iter().filter_map(value));
        Self {
            cases_total: rows.len(),
            cases_pass,
            cases_fail: count(CaseStatus::Fail),
            cases_error: count(CaseStatus::Error),
            cases_skipped: rows.len() - cases.len(),
            pass_rate: if cases.is_empty() { 0.0 } else { float(cases_pass as u64) / float(cases.len() as u64) },
            tool_calls: cases.iter().map(|case| case.tool_calls).sum(),
            tool_errors: cases.iter().map(|case| case.tool_errors).sum(),
            model_calls: cases.iter().filter_map(|case| case.model_calls).reduce(u64::saturating_add),
            wall_ms: each(|case| Some(float(case.wall_ms))),
            tool_calls_per_case: each(|case| Some(float(case.tool_calls))),
            tool_errors_per_case: each(|case| Some(float(case.tool_errors))),
            model_calls_per_case: each(|case| case.model_calls.map(float)),
            tokens_in: each(|case| case.usage.tokens_in.map(float)),
            tokens_out: each(|case| case.usage.tokens_out.map(float)),
            cost_usd: each(|case| case.usage.cost_usd),
        }
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
