//! The gates `no_slower` and `no_costlier`: times and costs do not grow by more than chance explains.
//!
//! The runs of a case are compared with its history by ranks: the rank-sum test for a case, with the false discovery
//! rate kept across cases, and the same test stratified by case for the suite. A growth must also be large enough to
//! matter.

use agentci_statistics::{benjamini_hochberg, rank_sum, stratified_rank_sum};

use super::{CaseTrend, NoiseReport, Trend};
use crate::thresholds::GrowthThreshold;
use crate::{Baseline, CaseHistory, CaseSample, Spread};

/// A case with the values of its history and of this run.
struct GrowthSample<'c> {
    id: &'c str,
    history: Vec<f64>,
    current: Vec<f64>,
}

impl GrowthSample<'_> {
    fn medians(&self) -> Option<(f64, f64)> {
        let median = |values: &[f64]| Spread::of(values.iter().copied()).map(|spread| spread.p50);
        median(&self.history).zip(median(&self.current))
    }

    /// Whether it grew by at least this fraction.
    fn grew_by(&self, least: f64) -> bool {
        self.medians().is_some_and(|(before, now)| now > before * (1.0 + least))
    }
}

/// Compares wall times.
pub(crate) fn no_slower(baseline: &Baseline, current: &Baseline, gate: GrowthThreshold) -> Result<NoiseReport, String> {
    compare(baseline, current, gate, |sample| sample.wall_ms).ok_or_else(|| nothing("wall times", &current.mode))
}

/// Compares costs, or tokens where agents report no costs.
pub(crate) fn no_costlier(
    baseline: &Baseline,
    current: &Baseline,
    gate: GrowthThreshold,
) -> Result<NoiseReport, String> {
    compare(baseline, current, gate, |sample| sample.cost_usd)
        .or_else(|| compare(baseline, current, gate, |sample| sample.tokens))
        .ok_or_else(|| nothing("costs or tokens", &current.mode))
}

fn nothing(what: &str, mode: &str) -> String {
    format!("the baseline has no {what} of {mode} runs of these cases")
}

fn compare(
    baseline: &Baseline,
    current: &Baseline,
    gate: GrowthThreshold,
    value: impl Fn(&CaseSample) -> Option<f64>,
) -> Option<NoiseReport> {
    let all = current.cases.iter().map(|case| GrowthSample {
        id: &case.id,
        history: baseline.history.samples(&case.id, &current.mode).filter_map(|sample| value(&sample)).collect(),
        current: value(&case.sample).into_iter().collect(),
    });
    let cases: Vec<GrowthSample<'_>> =
        all.filter(|case| !case.history.is_empty() && !case.current.is_empty()).collect();
    let totals = cases.iter().filter_map(GrowthSample::medians);
    let (before, now) = totals.fold((0.0, 0.0), |(before, now), (old, new)| (before + old, now + new));
    if cases.is_empty() {
        return None;
    }
    let level = gate.alpha / 2.0;
    let strata: Vec<(&[f64], &[f64])> = cases.iter().map(|case| (&*case.history, &*case.current)).collect();
    let suite_p = stratified_rank_sum(&strata);
    let growth = if before > 0.0 { Some(now / before - 1.0) } else { None };
    let suite_regressed = suite_p.is_some_and(|p| p < level) && growth.is_some_and(|growth| growth > gate.min_effect);
    let p: Vec<f64> = cases.iter().map(|case| rank_sum(&case.history, &case.current).unwrap_or(1.0)).collect();
    let adjusted = benjamini_hochberg(&p);
    let grown = cases
        .iter()
        .zip(&p)
        .zip(adjusted)
        .filter(|((case, _), adjusted)| *adjusted <= level && case.grew_by(gate.min_effect));
    let trends: Vec<CaseTrend> = grown.map(|((case, p), _)| trend(case, *p)).collect();
    let regressed = suite_regressed || !trends.is_empty();
    // With so few runs, not even the largest growth of every case would be significant.
    let extreme = stratified_rank_sum(&cases.iter().map(largest).collect::<Vec<_>>());
    let blind = extreme.is_none_or(|p| p >= level);
    let trend = match (regressed, blind) {
        (true, _) => Trend::Regressed,
        (false, true) => Trend::Undecided,
        (false, false) => Trend::NotRegressed,
    };
    Some(NoiseReport {
        trend,
        alpha: gate.alpha,
        suite_p,
        suite_regressed,
        cases: trends,
        compared: cases.len(),
        growth,
        ..NoiseReport::default()
    })
}

/// The values of a case if it had grown beyond everything before.
fn largest(case: &GrowthSample<'_>) -> (Vec<f64>, Vec<f64>) {
    let most = case.history.iter().copied().fold(0.0, f64::max);
    (case.history.clone(), case.current.iter().map(|_| most + 1.0).collect())
}

fn trend(case: &GrowthSample<'_>, p: f64) -> CaseTrend {
    let medians = case.medians();
    CaseTrend {
        id: case.id.to_owned(),
        trend: Trend::Regressed,
        history: CaseHistory { runs: case.history.len() as u64, passes: 0 },
        current: CaseHistory { runs: case.current.len() as u64, passes: 0 },
        p: Some(p),
        before: medians.map(|(before, _)| before),
        now: medians.map(|(_, now)| now),
        ..CaseTrend::default()
    }
}
