//! The gate `no_regression`: no case passes less often than before, by more than chance explains.

use agentci_statistics::{Counts, detectable_rate, runs_to_decide};

use super::decision::{ComparedCase, RateDecision};
use super::{CaseTrend, NoiseReport, Trend};
use crate::pairs::Pairs;
use crate::{Baseline, BaselineCase, CaseHistory, CaseStatus};

/// The probability with which a detectable drop is noticed.
const POWER: f64 = 0.8;

/// The most runs of a case that are proposed.
const MOST_RUNS: u64 = 200;

/// Compares the cases of a run with the history of its baseline. The error says why they cannot be compared.
pub(crate) fn no_regression(
    baseline: &Baseline,
    current: &Baseline,
    pairs: &Pairs<'_>,
    alpha: f64,
) -> Result<NoiseReport, String> {
    let ran = || current.cases.iter().filter(|case| case.sample.runs > 0);
    let past = |case: &BaselineCase| past(baseline, &case.id, &current.mode);
    let compared: Vec<ComparedCase<'_>> =
        ran().map(|case| ComparedCase::new(case, past(case))).filter(|one| one.history.runs > 0).collect();
    let new = ran().filter(|case| past(case).runs == 0);
    let broken: Vec<CaseTrend> = new.filter(|case| never_passed(case, pairs)).map(new_and_broken).collect();
    if compared.is_empty() && broken.is_empty() {
        return Err(nothing_to_compare(baseline, &current.mode));
    }
    let RateDecision { suite_p, suite_regressed, mut cases } = RateDecision::of(&compared, alpha);
    cases.extend(broken);
    cases.sort_by(|one, other| (one.trend as u8, &one.id).cmp(&(other.trend as u8, &other.id)));
    let trend = if suite_regressed || cases.iter().any(|case| case.trend == Trend::Regressed) {
        Trend::Regressed
    } else if cases.is_empty() {
        Trend::NotRegressed
    } else {
        Trend::Undecided
    };
    let random = || compared.iter().filter(|one| !one.deterministic);
    let level = RateDecision::level_of_one(random().count(), alpha);
    let detectable = random().map(|one| detectable_rate(one.history, one.current.runs, level, POWER));
    let undecided = cases.iter().filter(|case| case.trend == Trend::Undecided);
    let needed = undecided.map(|case| runs_to_decide(counts(case.history), counts(case.current), level, MOST_RUNS));
    Ok(NoiseReport {
        trend,
        alpha,
        suite_p,
        suite_regressed,
        runs: random().map(|one| one.current.runs).min().unwrap_or_default(),
        // If one case would not have been noticed, no rate holds for all of them.
        detectable_rate: detectable.reduce(|one, other| Some(one?.min(other?))).flatten(),
        runs_to_decide: needed.reduce(|one, other| Some(one?.max(other?))).flatten(),
        compared: compared.len(),
        cases,
        ..NoiseReport::default()
    })
}

/// The results of a case in the history.
fn past(baseline: &Baseline, id: &str, mode: &str) -> Counts {
    let samples = baseline.history.samples(id, mode).map(CaseHistory::from);
    counts(samples.fold(CaseHistory::default(), CaseHistory::plus))
}

/// A case without a history has nothing to be compared with, but one that never passes is not fine either.
fn never_passed(case: &BaselineCase, pairs: &Pairs<'_>) -> bool {
    let known = pairs.both().any(|(old, new)| new.id == case.id && old.status != CaseStatus::Skipped);
    !known && case.sample.passes == 0
}

fn new_and_broken(case: &BaselineCase) -> CaseTrend {
    CaseTrend { id: case.id.clone(), trend: Trend::Regressed, current: case.history, ..CaseTrend::default() }
}

fn nothing_to_compare(baseline: &Baseline, mode: &str) -> String {
    let add = "add one with `agentci baseline promote --add`";
    match baseline.history.runs().iter().find(|run| run.mode != mode) {
        Some(run) => format!("the baseline has no {mode} run of these cases, only {} runs: {add}", run.mode),
        None => format!("the baseline has no run of these cases: {add}"),
    }
}

fn counts(history: CaseHistory) -> Counts {
    Counts { passes: history.passes, runs: history.runs }
}
