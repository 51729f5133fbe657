//! The gates on runs with a history, in both directions: which broken agent stays green, and which honest one turns red.

use crate::pairs::samples::{case, run};
use crate::{
    Baseline, BaselineCase, CaseHistory, CaseSample, CaseStatus, Comparison, Gate, GateCheck, GateReport, GateStatus,
    GrowthThreshold, History, NoiseReport, PastRun, Policy, Thresholds, Trend, Undecided, compare,
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

/// A run in which each case was repeated until it was decided, at most 20 times.
fn repeated(results: &[(&str, u64, u64)]) -> Baseline {
    let run = now("live", results);
    let cases = run.cases.into_iter().map(|case| BaselineCase { most_runs: Some(20), ..case }).collect();
    Baseline { cases, ..run }
}

fn noise(baseline: &Baseline, current: &Baseline) -> (GateStatus, NoiseReport) {
    let comparison = compared(baseline, current, None);
    let check = gate(&comparison, Gate::NoRegression);
    (check.status, *check.noise.clone().unwrap())
}

#[test]
fn repeated_case_that_broke_is_red_after_three_runs() {
    let baseline = history("live", 50, &[("a", 50), ("b", 48), ("c", 25)]);
    let (status, report) = noise(&baseline, &repeated(&[("a", 0, 3), ("b", 12, 12), ("c", 10, 20)]));
    let broken = &report.cases[0];
    assert_eq!((status, broken.id.as_str(), broken.trend), (GateStatus::Fail, "a", Trend::Regressed));
    assert!(broken.p.is_none() && broken.e_value.is_some_and(|e| e > 1000.0), "{report:?}");
}

#[test]
fn repeated_case_is_green_only_if_a_drop_is_refuted() {
    let baseline = history("live", 50, &[("a", 50), ("b", 50), ("c", 50)]);
    let trend = |a: (u64, u64)| noise(&baseline, &repeated(&[("a", a.0, a.1), ("b", 10, 10), ("c", 9, 9)])).1.trend;
    assert_eq!(trend((9, 9)), Trend::NotRegressed);
    // The budget ended before the case was decided.
    assert_eq!([trend((8, 8)), trend((1, 1)), trend((0, 1)), trend((12, 14))], [Trend::Undecided; 4]);
}

#[test]
fn passes_of_other_cases_do_not_hide_a_repeated_one() {
    // All cases together pass far more often than before.
    let baseline = history("live", 50, &[("a", 50), ("b", 25), ("c", 25)]);
    let current = repeated(&[("a", 0, 3), ("b", 20, 20), ("c", 20, 20)]);
    assert_eq!(regression(&baseline, &current), (GateStatus::Fail, vec!["a".to_owned()]));
}

#[test]
fn repeated_cases_have_no_suite_test() {
    // Runs that stop at a failure look worse than they are: a test for a fixed number would be red.
    let names: Vec<String> = (0..40).map(|at| format!("c{at:02}")).collect();
    let passes: Vec<(&str, u64)> = names.iter().map(|name| (name.as_str(), 49)).collect();
    let results: Vec<(&str, u64, u64)> = names.iter().map(|name| (name.as_str(), 4, 5)).collect();
    let (_, report) = noise(&history("live", 50, &passes), &repeated(&results));
    assert_eq!((report.trend, report.suite_p), (Trend::Undecided, None));
}

#[test]
fn repeated_and_fixed_cases_are_judged_together() {
    let baseline = history("live", 50, &[("a", 50), ("b", 50)]);
    let mixed = |a, b| {
        let mut current = repeated(&[("a", a, 9), ("b", b, 5)]);
        current.cases[1].most_runs = None;
        regression(&baseline, &current)
    };
    assert_eq!(mixed(9, 5), (GateStatus::Pass, vec![]));
    assert_eq!(mixed(0, 5).1, ["a"]);
    assert_eq!(mixed(9, 0).1, ["b"]);
}

#[test]
fn repeated_case_whose_history_never_passed_is_green() {
    let baseline = history("live", 50, &[("a", 0), ("b", 50)]);
    assert_eq!(regression(&baseline, &repeated(&[("a", 0, 1), ("b", 9, 9)])).0, GateStatus::Pass);
}

#[test]
fn new_repeated_case_is_red_only_after_several_failures() {
    let baseline = history("live", 50, &[("a", 50)]);
    let with_new = |passes, runs| regression(&baseline, &repeated(&[("a", 9, 9), ("new", passes, runs)])).0;
    assert_eq!(with_new(0, 5), GateStatus::Fail);
    assert_eq!(with_new(0, 4), GateStatus::Undecided);
    assert_eq!(with_new(1, 2), GateStatus::Pass);
}

#[test]
fn undecided_repeats_name_the_runs_that_would_decide() {
    let baseline = history("live", 50, &[("a", 30)]);
    let (status, report) = noise(&baseline, &repeated(&[("a", 12, 20)]));
    assert_eq!((status, report.trend), (GateStatus::Undecided, Trend::Undecided));
    assert!(report.runs_to_decide.is_some_and(|runs| (21..=60).contains(&runs)), "{report:?}");
    assert!(report.until_decided && report.runs == 20 && report.detectable_rate.is_some(), "{report:?}");
}

#[test]
fn each_run_says_whether_another_is_needed() {
    let baseline = history("live", 50, &[("solid", 50), ("never", 0)]);
    let policy = |thresholds| Policy { thresholds, baseline: Some(Ok(baseline.clone())), ..Policy::default() };
    let set = Thresholds { no_regression: Some(0.05), ..Thresholds::default() };
    let policy_set = policy(set);
    let rule = policy_set.repeats("live", 50).unwrap();
    let decided = |case: &str, passes, runs| rule.is_decided(case, CaseHistory { runs, passes });
    assert!(!decided("solid", 8, 8) && decided("solid", 9, 9));
    assert!(!decided("solid", 0, 2) && decided("solid", 0, 3));
    assert!(decided("never", 0, 1));
    assert!(decided("new", 1, 2) && !decided("new", 0, 4) && decided("new", 0, 5));
    assert!(policy(Thresholds::default()).repeats("live", 50).is_none(), "no gate would use it");
    assert!(Policy { thresholds: set, ..Policy::default() }.repeats("live", 50).is_none());
    // Replayed runs are no history of live ones.
    assert!(policy_set.repeats("replay", 50).unwrap().is_decided("solid", CaseHistory { runs: 1, passes: 1 }));
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
