//! Numbers over all cases of a run.

use serde::{Deserialize, Serialize};

use crate::{CaseRow, CaseStatus, Rows};

/// Counts and spreads over the cases of a run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Aggregates {
    /// Cases that ran or were skipped.
    pub cases_total: usize,
    /// Cases that passed.
    pub cases_pass: usize,
    /// Cases that failed.
    pub cases_fail: usize,
    /// Cases that could not be judged.
    pub cases_error: usize,
    /// Cases that were not run.
    pub cases_skipped: usize,
    /// Passed cases among those that ran; 0 when none ran.
    pub pass_rate: f64,
    /// Tool calls of all cases.
    pub tool_calls: u64,
    /// Tool errors of all cases.
    pub tool_errors: u64,
    /// Requests to a model in all cases; absent where none of them was observed.
    #[serde(default)]
    pub model_calls: Option<u64>,
    /// Wall time of each case, in milliseconds.
    pub wall_ms: Option<Spread>,
    /// Tool calls of each case.
    pub tool_calls_per_case: Option<Spread>,
    /// Tool errors of each case.
    pub tool_errors_per_case: Option<Spread>,
    /// Requests to a model in each case whose model was observed.
    #[serde(default)]
    pub model_calls_per_case: Option<Spread>,
    /// Tokens read in each case that reports them.
    pub tokens_in: Option<Spread>,
    /// Tokens written in each case that reports them.
    pub tokens_out: Option<Spread>,
    /// Cost of each case that reports it.
    pub cost_usd: Option<Spread>,
}

/// How a number spreads over the cases. Percentiles are by nearest rank, so each is a value that occurred.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Spread {
    /// The least.
    pub min: f64,
    /// The middle.
    pub p50: f64,
    /// Only one in twenty is more.
    pub p95: f64,
    /// The mean.
    pub mean: f64,
    /// The most.
    pub max: f64,
}

impl Spread {
    /// The spread of some values, if there are any.
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

impl Aggregates {
    /// The numbers of these rows; skipped cases count in the totals only.
    pub fn of(rows: &Rows) -> Self {
        let count = |status| rows.iter().filter(|row| row.status() == status).count();
        let cases_skipped = count(CaseStatus::Skipped);
        let cases_pass = count(CaseStatus::Pass);
        let judged = rows.len() - cases_skipped;
        let ran: Vec<&CaseRow> = rows.iter().filter(|row| row.status() != CaseStatus::Skipped).collect();
        let each = |value: &dyn Fn(&CaseRow) -> Option<f64>| Spread::of(ran.iter().filter_map(|row| value(row)));
        Self {
            cases_total: rows.len(),
            cases_pass,
            cases_fail: count(CaseStatus::Fail),
            cases_error: count(CaseStatus::Error),
            cases_skipped,
            pass_rate: if judged == 0 { 0.0 } else { float(cases_pass as u64) / float(judged as u64) },
            tool_calls: ran.iter().map(|row| row.decisive().metrics.tool_calls).sum(),
            tool_errors: ran.iter().map(|row| row.decisive().metrics.tool_errors).sum(),
            model_calls: ran.iter().filter_map(|row| row.decisive().metrics.model_calls).reduce(u64::saturating_add),
            wall_ms: each(&|row| Some(float(row.decisive().wall_ms))),
            tool_calls_per_case: each(&|row| Some(float(row.decisive().metrics.tool_calls))),
            tool_errors_per_case: each(&|row| Some(float(row.decisive().metrics.tool_errors))),
            model_calls_per_case: each(&|row| row.decisive().metrics.model_calls.map(float)),
            tokens_in: each(&|row| row.decisive().metrics.usage.tokens_in.map(float)),
            tokens_out: each(&|row| row.decisive().metrics.usage.tokens_out.map(float)),
            cost_usd: each(&|row| row.decisive().metrics.usage.cost_usd),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_values_that_occurred() {
        let spread = Spread::of([10.0, 40.0, 20.0, 30.0]).unwrap();
        assert_eq!(spread, Spread { min: 10.0, p50: 20.0, p95: 40.0, mean: 25.0, max: 40.0 });
        let hundred = Spread::of((1..=100).map(f64::from)).unwrap();
        assert_eq!((hundred.p50, hundred.p95), (50.0, 95.0));
        assert_eq!(Spread::of([7.0]), Some(Spread { min: 7.0, p50: 7.0, p95: 7.0, mean: 7.0, max: 7.0 }));
        assert_eq!(Spread::of([]), None);
    }
}
