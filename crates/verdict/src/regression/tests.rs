//! The gates on runs with a history, in both directions: which broken agent stays green, and which honest one turns red.

use crate::pairs::samples::{case, run};
use crate::{
    Baseline, BaselineCase, CaseHistory, CaseSample, CaseStatus, Comparison, Gate, GateCheck, GateReport, GateStatus,
    GrowthThreshold, History, PastRun, Thresholds, Trend, Undecided, compare,
};

/// A baseline with a history of `runs` runs, in which each case passed the given number of times.
fn history(mode: &str, runs: u64, passes: &[(&str, u64)]) -> Baseline {
    let past = |at: u64| {
        let sample = |passes: u64| CaseSample { passes: u64::from(at < passes), runs: 1, ..CaseSample::default() };
        let cases = passes.iter().map(|(id, passes)| ((*id).to_owned(), sample(*passes))).collect();
        PastRun { at: format!("{at:03}"), mode: mode.into(), cases, ..PastRun::default() }.named("r")
    };
    let cases: Vec<BaselineCase> = passes.iter().map(|(id, _)| case(id, CaseStatus::Pass, &[])).collect();
    Baseline { cases, mode: mode.into(), history: History::new((0..runs).map(past)), ..run([]) }
}

/// A run in which each case passed this many of its attempts.
fn now(mode: &str, results: &[(&str, u64, u64)]) -> Baseline {
    let ran = |(id, passes, runs): &(&str, u64, u64)| {
        let status = if passes == runs { CaseStatus::Pass } else { CaseStatus::Fail };
        let sample = CaseSample { passes: *passes, runs: *runs, ..CaseSample::default() };
        BaselineCase { sample, history: CaseHistory::from(sample), ..case(id, status, &[]) }
    };
    Baseline { cases: results.iter().map(ran).collect(), mode: mode.into(), ..run([]) }
}

fn deterministic(run: Baseline) -> Baseline {
    let cases = run.cases.into_iter().map(|case| BaselineCase { deterministic: true, ..case }).collect();
    Baseline { cases, ..run }
}

fn compared(baseline: &Baseline, current: &Baseline, undecided: Option<Undecided>) -> Comparison {
    let thresholds = Thresholds { no_regression: Some(0.05), undecided, ..Thresholds::default() };
    compare(Some(baseline), current, &thresholds, true)
}

fn gate(comparison: &Comparison, id: Gate) -> &GateCheck {
    comparison.checks.iter().find(|check| check.id == id).unwrap()
}

/// The status of `no_regression`, and the cases that got worse.
fn regression(baseline: &Baseline, current: &Baseline) -> (GateStatus, Vec<String>) {
    let comparison = compared(baseline, current, None);
    let check = gate(&comparison, Gate::NoRegression);
    (check.status, check.cases.clone())
}

#[test]
fn broken_case_is_red_although_the_others_pass() {
    let baseline = history("live", 50, &[("a", 50), ("b", 48), ("c", 25)]);
    let current = now("live", &[("a", 0, 5), ("b", 5, 5), ("c", 3, 5)]);
    assert_eq!(regression(&baseline, &current), (GateStatus::Fail, vec!["a".to_owned()]));
}

#[test]
fn flaky_case_that_fails_as_often_as_ever_is_green() {
    let baseline = history("live", 50, &[("a", 50), ("b", 47), ("c", 20)]);
    for flaky in 0..=5 {
        let current = now("live", &[("a", 5, 5), ("b", 4, 5), ("c", flaky, 5)]);
        assert_ne!(regression(&baseline, &current).0, GateStatus::Fail, "{flaky} of 5");
    }
}

#[test]
fn small_drop_of_every_case_is_red_although_no_case_is() {
    let names: Vec<String> = (0..40).map(|at| format!("c{at:02}")).collect();
    let passes: Vec<(&str, u64)> = names.iter().map(|name| (name.as_str(), 49)).collect();
    let results: Vec<(&str, u64, u64)> = names.iter().map(|name| (name.as_str(), 4, 5)).collect();
    let comparison = compared(&history("live", 50, &passes), &now("live", &results), None);
    let check = gate(&comparison, Gate::NoRegression);
    let report = check.noise.as_ref().unwrap();
    assert_eq!((check.status, report.suite_regressed, check.cases.len()), (GateStatus::Fail, true, 0), "{report:?}");
}

#[test]
fn one_failure_of_a_deterministic_case_is_red() {
    let baseline = deterministic(history("replay", 1, &[("a", 1)]));
    let current = deterministic(now("replay", &[("a", 0, 1)]));
    assert_eq!(regression(&baseline, &current).0, GateStatus::Fail);
    // A failure that is in the history is nothing new, whatever varies there.
    let mixed = deterministic(history("replay", 4, &[("a", 2)]));
    assert_ne!(regression(&mixed, &current).0, GateStatus::Fail);
}

#[test]
fn short_history_is_undecided_and_not_green() {
    let baseline = history("live", 2, &[("a", 2)]);
    let failed = now("live", &[("a", 0, 1)]);
    assert_eq!(regression(&baseline, &failed).0, GateStatus::Undecided);
    assert_eq!(regression(&baseline, &now("live", &[("a", 1, 1)])).0, GateStatus::Undecided);
    let fail = compared(&baseline, &failed, Some(Undecided::Fail));
    assert_eq!((gate(&fail, Gate::NoRegression).status, fail.passed), (GateStatus::Fail, false));
}

#[test]
fn undecided_gate_forgives_failed_cases_only_on_request() {
    let decided = |undecided| {
        let thresholds = Thresholds { no_regression: Some(0.05), decide: true, undecided, ..Thresholds::default() };
        let comparison =
            compare(Some(&history("live", 2, &[("a", 2)])), &now("live", &[("a", 0, 1)]), &thresholds, true);
        GateReport { thresholds, comparison, ..GateReport::default() }.decide(CaseStatus::Fail, true)
    };
    assert_eq!(decided(None), CaseStatus::Fail);
    assert_eq!(decided(Some(Undecided::Pass)), CaseStatus::Pass);
    assert_eq!(decided(Some(Undecided::Fail)), CaseStatus::Fail);
}

#[test]
fn new_case_that_never_passes_is_red_and_one_that_passes_is_green() {
    let baseline = history("live", 50, &[("a", 50)]);
    let with_new = |passes| now("live", &[("a", 5, 5), ("new", passes, 5)]);
    assert_eq!(regression(&baseline, &with_new(0)), (GateStatus::Fail, vec!["new".to_owned()]));
    assert_eq!(regression(&baseline, &with_new(1)).0, GateStatus::Pass);
}

#[test]
fn replayed_runs_are_no_history_of_live_ones() {
    let baseline = history("replay", 50, &[("a", 50)]);
    let comparison = compared(&baseline, &now("live", &[("a", 0, 5)]), None);
    let check = gate(&comparison, Gate::NoRegression);
    assert_eq!(check.status, GateStatus::Skipped);
    assert!(check.note.as_ref().unwrap().starts_with("the baseline has no live run of these cases, only replay runs"));
}

#[test]
fn green_gate_names_the_drop_it_would_have_noticed() {
    let comparison = compared(&history("live", 50, &[("a", 50)]), &now("live", &[("a", 5, 5)]), None);
    let report = gate(&comparison, Gate::NoRegression).noise.clone().unwrap();
    assert_eq!((report.trend, report.runs), (Trend::NotRegressed, 5));
    assert!(report.detectable_rate.is_some_and(|rate| (0.3..0.7).contains(&rate)), "{report:?}");
}

#[test]
fn undecided_gate_names_the_runs_that_would_decide() {
    let baseline = history("live", 6, &[("a", 6)]);
    let comparison = compared(&baseline, &now("live", &[("a", 1, 2)]), None);
    let report = gate(&comparison, Gate::NoRegression).noise.clone().unwrap();
    assert_eq!(report.trend, Trend::Undecided, "{report:?}");
    assert!(report.runs_to_decide.is_some_and(|runs| (6..=40).contains(&runs)), "{report:?}");
}

/// A baseline of cases with these wall times in 20 runs, each 2 % around its own.
fn timed(cases: usize) -> Baseline {
    let names: Vec<String> = (0..cases).map(|at| format!("c{at:02}")).collect();
    let past = |at: usize| {
        let sample = |case: usize| {
            let [case, noise] =
                [case + 1, (at * 7 + case * 3) % 9].map(|number| f64::from(u32::try_from(number).unwrap()));
            let wall = 100.0 * case * (1.0 + noise / 200.0);
            CaseSample { passes: 1, runs: 1, wall_ms: Some(wall), cost_usd: Some(wall / 1e6), ..CaseSample::default() }
        };
        let cases = names.iter().enumerate().map(|(case, name)| (name.clone(), sample(case))).collect();
        PastRun { at: format!("{at:03}"), mode: "live".into(), cases, ..PastRun::default() }.named("r")
    };
    Baseline { mode: "live".into(), history: History::new((0..20).map(past)), ..run([]) }
}

/// The statuses of `no_slower` and `no_costlier` if the wall time of each case is changed.
fn growth(cases: usize, change: impl Fn(usize, f64) -> f64) -> [GateStatus; 2] {
    let baseline = timed(cases);
    let newest = baseline.history.newest().unwrap().clone();
    let current = newest.cases.iter().enumerate().map(|(at, (id, sample))| {
        let wall = change(at, sample.wall_ms.unwrap());
        let sample = CaseSample { wall_ms: Some(wall), cost_usd: Some(wall / 1e6), ..*sample };
        BaselineCase { sample, ..case(id, CaseStatus::Pass, &[]) }
    });
    let current = Baseline { cases: current.collect(), mode: "live".into(), ..run([]) };
    let gate_of = GrowthThreshold { alpha: 0.05, min_effect: 0.1 };
    let thresholds = Thresholds { no_slower: Some(gate_of), no_costlier: Some(gate_of), ..Thresholds::default() };
    let comparison = compare(Some(&baseline), &current, &thresholds, true);
    [Gate::NoSlower, Gate::NoCostlier].map(|id| gate(&comparison, id).status)
}

#[test]
fn slower_suite_is_red_and_noise_is_green() {
    assert_eq!(growth(12, |_, wall| wall), [GateStatus::Pass; 2]);
    assert_eq!(growth(12, |at, wall| if at % 2 == 0 { wall * 1.02 } else { wall * 0.98 }), [GateStatus::Pass; 2]);
    assert_eq!(growth(12, |_, wall| wall * 1.5), [GateStatus::Fail; 2]);
    // Certain, but too small to matter.
    assert_eq!(growth(12, |_, wall| wall * 1.06), [GateStatus::Pass; 2]);
    assert_eq!(growth(12, |_, wall| wall * 0.5), [GateStatus::Pass; 2]);
}

#[test]
fn single_outlier_does_not_make_a_suite_slower() {
    assert_ne!(growth(12, |at, wall| if at == 3 { wall * 2.0 } else { wall })[0], GateStatus::Fail);
}
