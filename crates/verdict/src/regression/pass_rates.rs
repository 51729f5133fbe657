//! The gate `no_regression`: no case passes less often than before, by more than chance explains.

use std::collections::BTreeSet;

use agentci_statistics::{Counts, StoppingRule, detectable_rate, runs_to_decide};

use super::decision::{ComparedCase, RateDecision, level_of_cases};
use super::repeats::{NEW_CASE_RUNS, detectable};
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
    let shown = NoticedDrops::of(&compared, &cases, alpha);
    Ok(NoiseReport {
        trend,
        alpha,
        suite_p,
        suite_regressed,
        runs: shown.runs,
        until_decided: shown.until_decided,
        detectable_rate: shown.detectable_rate,
        runs_to_decide: shown.runs_to_decide,
        compared: compared.len(),
        cases,
        ..NoiseReport::default()
    })
}

/// What these runs can show.
struct NoticedDrops {
    runs: u64,
    until_decided: bool,
    detectable_rate: Option<f64>,
    runs_to_decide: Option<u64>,
}

impl NoticedDrops {
    fn of(compared: &[ComparedCase<'_>], cases: &[CaseTrend], alpha: f64) -> Self {
        let random: Vec<&ComparedCase<'_>> = compared.iter().filter(|one| !one.deterministic).collect();
        let level = level_of_cases(compared, alpha) / f64::from(u32::try_from(random.len().max(1)).unwrap_or(u32::MAX));
        let bars = StoppingRule::new(1, level, alpha);
        let runs = |one: &ComparedCase<'_>| {
            one.repeated.map_or(one.current.runs, |repeated| repeated.chances(one.current, alpha, level))
        };
        // Many cases have the same history.
        let alike: BTreeSet<(u64, u64, u64, bool)> = random
            .iter()
            .map(|one| (one.history.passes, one.history.runs, runs(one), one.repeated.is_some()))
            .collect();
        let detectable = alike.into_iter().map(|(passes, of, runs, repeated)| {
            let history = Counts { passes, runs: of };
            if repeated { detectable(history, runs, bars, POWER) } else { detectable_rate(history, runs, level, POWER) }
        });
        let needed = cases.iter().filter(|case| case.trend == Trend::Undecided).map(|case| {
            let (history, current) = (counts(case.history), counts(case.current));
            match case.e_value {
                Some(_) => bars.runs_to_decide(history, current, MOST_RUNS),
                None => runs_to_decide(history, current, level, MOST_RUNS),
            }
        });
        Self {
            runs: random.iter().map(|one| runs(one)).min().unwrap_or_default(),
            until_decided: random.iter().any(|one| one.repeated.is_some()),
            // If one case would not have been noticed, no rate holds for all of them.
            detectable_rate: detectable.reduce(|one, other| Some(one?.min(other?))).flatten(),
            runs_to_decide: needed.reduce(|one, other| Some(one?.max(other?))).flatten(),
        }
    }
}

/// The results of a case in the history.
pub(super) fn past(baseline: &Baseline, id: &str, mode: &str) -> Counts {
    let samples = baseline.history.samples(id, mode).map(CaseHistory::from);
    counts(samples.fold(CaseHistory::default(), CaseHistory::plus))
}

/// A case without a history has nothing to be compared with, but one that never passes is not fine either.
fn never_passed(case: &BaselineCase, pairs: &Pairs<'_>) -> bool {
    let known = pairs.both().any(|(old, new)| new.id == case.id && old.status != CaseStatus::Skipped);
    !known && case.sample.passes == 0
}

fn new_and_broken(case: &BaselineCase) -> CaseTrend {
    // Repeats of a new case that ended too early, because of their budget, decide nothing.
    let repeated = case.most_runs.filter(|_| !case.deterministic);
    let cut_short = repeated.is_some_and(|most| case.sample.runs < most.min(NEW_CASE_RUNS));
    let trend = if cut_short { Trend::Undecided } else { Trend::Regressed };
    CaseTrend { id: case.id.clone(), trend, current: case.history, ..CaseTrend::default() }
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
