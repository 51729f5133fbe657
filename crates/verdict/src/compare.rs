//! Compares a run with its baseline.

use std::borrow::Cow;
use std::collections::BTreeSet;

use agentci_text::and_more;

use crate::baseline::BASELINE_VERSION;
use crate::pairs::Pairs;
use crate::prompts::{PromptChanges, changes};
use crate::regression::{
    no_costlier as costlier_report, no_regression as no_regression_report, no_slower as slower_report,
};
use crate::thresholds::MIN_WALL_MS_DELTA;
use crate::{
    Baseline, CaseChanges, Comparison, Gate, GateCheck, GateStatus, MetricChanges, NoiseReport, RateChange, Thresholds,
    Trend, Undecided, WallChange, WallChanges,
};

/// The tolerance for rounding when a fraction is compared with its threshold.
const ROUNDING: f64 = 1e-9;

const NOT_ASKED: &str = "no threshold is set";
const NO_BASELINE: &str = "there is no baseline to compare with";
const OTHER_RULE: &str = "the baseline counted tool calls by another rule, such as the calls that a model requested; \
                          this run counts the calls that the agent made; create a new baseline from a good run: \
                          `agentci baseline promote --from RUN_DIR --to FILE`";

/// Compares a run with its baseline. Without a baseline, only gates that need none are evaluated. A run that is not
/// `whole`, because some cases were left out or never started, is compared with the same cases of the baseline.
pub fn compare(baseline: Option<&Baseline>, current: &Baseline, thresholds: &Thresholds, whole: bool) -> Comparison {
    let mut warnings = Vec::new();
    let baseline = baseline.map(|baseline| {
        warnings.extend(mismatches(baseline, current));
        if whole { Cow::Borrowed(baseline) } else { Cow::Owned(part(baseline, current, &mut warnings)) }
    });
    let baseline = baseline.as_deref();
    let pairs = Pairs::new(baseline, current);
    warnings.extend(pairs.incomparable());
    warnings.extend(other_rule(&pairs.other_rule()));
    let mut prompts = baseline.map(|baseline| changes(baseline, current, &pairs)).unwrap_or_default();
    warnings.append(&mut prompts.warnings);
    let metrics = metrics(baseline, current);
    let wall = |gate, threshold, change| {
        let least = thresholds.min_wall_ms_delta.unwrap_or(MIN_WALL_MS_DELTA);
        slower(wall(gate, threshold, least, change, baseline), &pairs)
    };
    let mut checks = vec![
        pass_rate(thresholds.min_pass_rate, metrics.pass_rate),
        wall(Gate::MaxAvgWallMsDeltaPct, thresholds.max_avg_wall_ms_delta_pct, metrics.wall_ms.mean),
        wall(Gate::MaxP95WallMsDeltaPct, thresholds.max_p95_wall_ms_delta_pct, metrics.wall_ms.p95),
        cases(Gate::NoNewFailures, thresholds.no_new_failures, baseline, || {
            let failures = pairs.new_failures(&mut warnings);
            if failures.is_empty() && !pairs.any() { Err("no case of the baseline was run") } else { Ok(failures) }
        }),
        cases(Gate::NoMissingCases, thresholds.no_missing_cases, baseline, || Ok(pairs.missing())),
        cases(Gate::NoChangedSteps, thresholds.no_changed_steps, baseline, || {
            match (pairs.any_steps(), pairs.departed(), pairs.other_rule()) {
                (false, ..) => Err("the baseline has no tool calls of any case"),
                (true, departed, others) if departed.is_empty() && !others.is_empty() => Err(OTHER_RULE),
                (true, departed, _) => Ok(departed),
            }
        }),
    ];
    checks.push(prompts_gate(thresholds.no_changed_prompts, baseline, &prompts));
    checks.extend(noise_gates(thresholds, baseline, current, &pairs));
    Comparison {
        passed: checks.iter().all(|check| check.status != GateStatus::Fail),
        checks,
        metrics,
        case_diffs: match baseline {
            Some(_) => CaseChanges { prompts_changed: prompts.changes, ..pairs.changes() },
            None => CaseChanges::default(),
        },
        warnings,
    }
}

/// The gates that know noise, if they are set.
fn noise_gates(
    thresholds: &Thresholds,
    baseline: Option<&Baseline>,
    current: &Baseline,
    pairs: &Pairs<'_>,
) -> Vec<GateCheck> {
    let Thresholds { no_regression, no_slower, no_costlier, undecided, .. } = *thresholds;
    let gate = |id, alpha, report: &dyn Fn(&Baseline) -> Result<NoiseReport, String>| match baseline.map(report) {
        None => GateCheck::skipped(id, Some(alpha), NO_BASELINE),
        Some(Err(why)) => GateCheck::skipped(id, Some(alpha), why),
        Some(Ok(report)) => {
            let status = match (report.trend, undecided) {
                (Trend::Regressed, _) | (Trend::Undecided, Some(Undecided::Fail)) => GateStatus::Fail,
                (Trend::Undecided, _) => GateStatus::Undecided,
                (Trend::NotRegressed, _) => GateStatus::Pass,
            };
            let regressed = report.cases.iter().filter(|case| case.trend == Trend::Regressed);
            let cases = regressed.map(|case| case.id.clone()).collect();
            GateCheck { cases, noise: Some(Box::new(report)), ..GateCheck::judged(id, Some(alpha), status) }
        }
    };
    let rates = no_regression.map(|alpha| {
        gate(Gate::NoRegression, alpha, &|baseline| no_regression_report(baseline, current, pairs, alpha))
    });
    let times = no_slower
        .map(|growth| gate(Gate::NoSlower, growth.alpha, &|baseline| slower_report(baseline, current, growth)));
    let costs = no_costlier
        .map(|growth| gate(Gate::NoCostlier, growth.alpha, &|baseline| costlier_report(baseline, current, growth)));
    [rates, times, costs].into_iter().flatten().collect()
}

/// The gate for changed prompts: the cases concerned, and the first change.
fn prompts_gate(asked: bool, baseline: Option<&Baseline>, prompts: &PromptChanges) -> GateCheck {
    let check = cases(Gate::NoChangedPrompts, asked, baseline, || {
        let concerned: BTreeSet<&String> = prompts.changes.iter().flat_map(|change| &change.cases).collect();
        prompts.not_compared.map_or_else(|| Ok(concerned.into_iter().cloned().collect()), Err)
    });
    let first = prompts.changes.first().filter(|_| check.status == GateStatus::Fail);
    GateCheck { change: first.map(|first| first.change.clone()), ..check }
}

/// The warning for cases whose steps were recorded by another rule.
fn other_rule(cases: &[String]) -> Option<String> {
    let (first, more) = (cases.first()?, cases.len() - 1);
    let more = and_more(more);
    Some(format!("the tool calls of `{first}`{more} are not compared: {OTHER_RULE}"))
}

fn mismatches(baseline: &Baseline, current: &Baseline) -> Vec<String> {
    let mut warnings = Vec::new();
    let (old, new) = (baseline.schema_version, current.schema_version);
    if old > BASELINE_VERSION {
        let known = BASELINE_VERSION.max(new);
        warnings.push(format!(
            "the baseline has schema version {old}, newer than {known}: fields may have a different meaning"
        ));
    }
    if baseline.suite != current.suite {
        warnings.push(format!("the baseline is for the suite `{}`, not for `{}`", baseline.suite, current.suite));
    }
    warnings
}

fn part(baseline: &Baseline, current: &Baseline, warnings: &mut Vec<String>) -> Baseline {
    let ids: BTreeSet<&str> = current.cases.iter().map(|case| case.id.as_str()).collect();
    let part = baseline.only(&ids);
    if part.cases.len() < baseline.cases.len() {
        warnings.push(format!(
            "only part of the suite was run: {} of {} cases of the baseline are compared",
            part.cases.len(),
            baseline.cases.len()
        ));
    }
    part
}

fn metrics(baseline: Option<&Baseline>, current: &Baseline) -> MetricChanges {
    let rate = baseline.map(|baseline| baseline.pass_rate);
    let wall = |of: &dyn Fn(&Baseline) -> Option<f64>| {
        let (baseline, current) = (baseline.and_then(of), of(current));
        let both = baseline.filter(|baseline| *baseline > 0.0).zip(current);
        WallChange { baseline, current, delta_pct: both.map(|(baseline, current)| (current - baseline) / baseline) }
    };
    MetricChanges {
        pass_rate: RateChange {
            baseline: rate,
            current: current.pass_rate,
            delta: rate.map(|rate| current.pass_rate - rate),
        },
        wall_ms: WallChanges { mean: wall(&|run| run.wall_ms_mean), p95: wall(&|run| run.wall_ms_p95) },
    }
}

fn status(holds: bool) -> GateStatus {
    if holds { GateStatus::Pass } else { GateStatus::Fail }
}

/// The threshold is absolute: the baseline's rate is only shown next to it.
fn pass_rate(threshold: Option<f64>, rate: RateChange) -> GateCheck {
    let judged = match threshold {
        None => GateCheck::skipped(Gate::MinPassRate, None, NOT_ASKED),
        Some(least) => GateCheck::judged(Gate::MinPassRate, threshold, status(rate.current >= least)),
    };
    GateCheck { baseline: rate.baseline, current: Some(rate.current), delta: rate.delta, ..judged }
}

/// A wall time fails its gate if it grew by too large a fraction and by enough milliseconds, `least`. A negative
/// threshold requires less time than before, where noise does not matter: then the fraction alone decides.
fn wall(gate: Gate, threshold: Option<f64>, least: f64, wall: WallChange, baseline: Option<&Baseline>) -> GateCheck {
    let least = threshold.filter(|most| *most >= 0.0).map(|_| least);
    let judged = match (threshold, wall.delta_pct) {
        (None, _) => GateCheck::skipped(gate, None, NOT_ASKED),
        (Some(most), Some(delta)) => {
            let (before, now) = wall.baseline.zip(wall.current).expect("a change is computed from both times");
            let is_noise = least.is_some_and(|least| now - before < least - ROUNDING);
            GateCheck::judged(gate, threshold, status(is_noise || delta <= most + ROUNDING))
        }
        (Some(_), None) if baseline.is_none() => GateCheck::skipped(gate, threshold, NO_BASELINE),
        (Some(_), None) if wall.current.is_none() => GateCheck::skipped(gate, threshold, "no case was run"),
        (Some(_), None) => GateCheck::skipped(gate, threshold, "the baseline has no wall time, or one of zero"),
    };
    let WallChange { baseline, current, delta_pct } = wall;
    GateCheck { baseline, current, delta_pct, min_wall_ms_delta: least, ..judged }
}

/// Adds the cases that grew most, and new ones that are slow, if the gate failed.
fn slower(check: GateCheck, pairs: &Pairs<'_>) -> GateCheck {
    let slower = if check.status == GateStatus::Fail { pairs.slower(check.baseline) } else { Vec::new() };
    GateCheck { slower, ..check }
}

/// A gate that fails if any case is concerned; the error says why it could not be evaluated.
fn cases(
    gate: Gate,
    asked: bool,
    baseline: Option<&Baseline>,
    concerned: impl FnOnce() -> Result<Vec<String>, &'static str>,
) -> GateCheck {
    if !asked {
        return GateCheck::skipped(gate, None, NOT_ASKED);
    }
    if baseline.is_none() {
        return GateCheck::skipped(gate, Some(0.0), NO_BASELINE);
    }
    let cases = match concerned() {
        Ok(cases) => cases,
        Err(why) => return GateCheck::skipped(gate, Some(0.0), why),
    };
    #[expect(clippy::cast_precision_loss, reason = "there are fewer cases than a double can count")]
    let current = Some(cases.len() as f64);
    GateCheck { current, cases, ..GateCheck::judged(gate, Some(0.0), status(current == Some(0.0))) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pairs::samples::{case, run};
    use crate::{BaselineCase, CaseHistory, CaseStatus};

    fn statuses(comparison: &Comparison) -> Vec<GateStatus> {
        comparison.checks.iter().map(|check| check.status).collect()
    }

    #[test]
    fn fails_when_pass_rate_drops_below_threshold() {
        let pass = |id| case(id, CaseStatus::Pass, &[]);
        let baseline = run([pass("a"), pass("b"), pass("c"), pass("d"), pass("e")]);
        let current = run([pass("a"), pass("b"), pass("c"), pass("d"), case("e", CaseStatus::Fail, &[])]);
        let thresholds = Thresholds { min_pass_rate: Some(0.9), ..Thresholds::default() };
        let comparison = compare(Some(&baseline), &current, &thresholds, true);
        assert!(!comparison.passed);
        let check = &comparison.checks[0];
        assert_eq!((check.id, check.status), (Gate::MinPassRate, GateStatus::Fail));
        assert_eq!((check.threshold, check.baseline, check.current), (Some(0.9), Some(1.0), Some(0.8)));
        assert!(comparison.checks[1..].iter().all(|check| check.note.as_deref() == Some(NOT_ASKED)));
        let enough = Thresholds { min_pass_rate: Some(0.8), ..Thresholds::default() };
        assert!(compare(Some(&baseline), &current, &enough, true).passed);
    }

    #[test]
    fn wall_times_are_compared_as_fractions() {
        let baseline = Baseline { wall_ms_mean: Some(50.0), wall_ms_p95: Some(100.0), ..run([]) };
        let current = Baseline { wall_ms_mean: Some(60.0), wall_ms_p95: Some(90.0), ..run([]) };
        let thresholds = |mean, p95| Thresholds {
            max_avg_wall_ms_delta_pct: Some(mean),
            max_p95_wall_ms_delta_pct: Some(p95),
            min_wall_ms_delta: Some(0.0),
            ..Thresholds::default()
        };
        let comparison = compare(Some(&baseline), &current, &thresholds(0.2, -0.1), true);
        assert!(comparison.passed, "{comparison:?}");
        assert_eq!(comparison.metrics.wall_ms.mean.delta_pct, Some(0.2));
        let comparison = compare(Some(&baseline), &current, &thresholds(0.19, -0.2), true);
        assert_eq!(statuses(&comparison)[1..3], [GateStatus::Fail, GateStatus::Fail]);
        let zero = Baseline { wall_ms_mean: Some(0.0), wall_ms_p95: None, ..baseline };
        let comparison = compare(Some(&zero), &current, &thresholds(0.0, 0.0), true);
        assert_eq!(statuses(&comparison)[1..3], [GateStatus::Skipped, GateStatus::Skipped]);
        assert!(comparison.passed);
    }

    #[test]
    fn wall_time_must_exceed_minimum_increase() {
        use GateStatus::{Fail, Pass};

        let at = |old: f64, new: f64, least: Option<f64>, most: f64| {
            let baseline = Baseline { wall_ms_mean: Some(old), ..run([]) };
            let current = Baseline { wall_ms_mean: Some(new), ..run([]) };
            let thresholds =
                Thresholds { max_avg_wall_ms_delta_pct: Some(most), min_wall_ms_delta: least, ..Thresholds::default() };
            let check = compare(Some(&baseline), &current, &thresholds, true).checks[1].clone();
            (check.status, check.min_wall_ms_delta)
        };
        assert_eq!(at(56.0, 84.0, None, 0.1), (Pass, Some(50.0)));
        assert_eq!(at(56.0, 105.9, None, 0.1), (Pass, Some(50.0)));
        assert_eq!(at(56.0, 106.0, None, 0.1), (Fail, Some(50.0)));
        // An agent that became slow still fails.
        assert_eq!(at(56.0, 812.0, None, 0.1), (Fail, Some(50.0)));
        assert_eq!(at(2000.0, 2060.0, None, 0.1), (Pass, Some(50.0)));
        assert_eq!(at(56.0, 63.0, Some(0.0), 0.1), (Fail, Some(0.0)));
        assert_eq!(at(56.0, 812.0, Some(1000.0), 0.1), (Pass, Some(1000.0)));
        // A negative threshold requires less time than before.
        assert_eq!(at(100.0, 95.0, None, -0.1), (Fail, None));
    }

    #[test]
    fn names_slowest_cases_when_wall_time_gate_fails() {
        let took = |id: &str, wall_ms| BaselineCase { wall_ms, ..case(id, CaseStatus::Pass, &[]) };
        let baseline = run([took("a", 10.0), took("b", 10.0), took("c", 900.0), took("d", 10.0), took("e", 10.0)]);
        let current = run([took("a", 12.0), took("b", 400.0), took("c", 100.0), took("d", 2000.0), took("e", 11.0)]);
        let at = |most| {
            let thresholds = Thresholds { max_avg_wall_ms_delta_pct: Some(most), ..Thresholds::default() };
            compare(Some(&baseline), &current, &thresholds, true).checks[1].slower.clone()
        };
        let named: Vec<_> = at(0.5).into_iter().map(|case| (case.id, case.baseline, case.current)).collect();
        let wanted = [("d", 10.0, 2000.0), ("b", 10.0, 400.0), ("a", 10.0, 12.0)];
        assert_eq!(named, wanted.map(|(id, old, new)| (id.to_owned(), Some(old), new)));
        assert_eq!(at(50.0), []);
    }

    #[test]
    fn new_slow_case_is_named_when_wall_time_gate_fails() {
        let took = |id: &str, wall_ms| BaselineCase { wall_ms, ..case(id, CaseStatus::Pass, &[]) };
        let later = BaselineCase { wall_ms: 0.0, ..case("later", CaseStatus::Skipped, &[]) };
        let old = [took("a", 100.0), took("b", 100.0), took("c", 100.0), took("d", 700.0), later];
        // The cases that grew more than the new one do not hide it, and a new case below the usual time is not blamed.
        let current = run([
            took("a", 20_100.0),
            took("b", 20_100.0),
            took("c", 20_100.0),
            took("d", 700.0),
            took("later", 9000.0),
            took("checkout", 12_000.0),
            took("fast", 200.0),
            took("middling", 500.0),
        ]);
        let thresholds = Thresholds {
            max_avg_wall_ms_delta_pct: Some(0.1),
            max_p95_wall_ms_delta_pct: Some(0.1),
            ..Thresholds::default()
        };
        let comparison = compare(Some(&run(old)), &current, &thresholds, true);
        let new = |check: &GateCheck| -> Vec<(String, f64)> {
            let new = check.slower.iter().filter(|case| case.baseline.is_none());
            new.map(|case| (case.id.clone(), case.current)).collect()
        };
        let named = |ids: &[(&str, f64)]| ids.iter().map(|(id, ms)| ((*id).to_owned(), *ms)).collect::<Vec<_>>();
        let slow = [("checkout", 12_000.0), ("later", 9000.0)];
        // The mean was 250 ms, the 95th percentile 700 ms.
        assert_eq!(new(&comparison.checks[1]), named(&[slow[0], slow[1], ("middling", 500.0)]));
        assert_eq!(new(&comparison.checks[2]), named(&slow));
        assert!(comparison.checks[1..3].iter().all(|check| check.slower.len() == 3 + new(check).len()));
    }

    #[test]
    fn only_pass_rate_is_checked_without_baseline() {
        let current = run([case("a", CaseStatus::Fail, &[])]);
        let thresholds = Thresholds {
            min_pass_rate: Some(0.5),
            max_avg_wall_ms_delta_pct: Some(0.1),
            no_new_failures: true,
            no_missing_cases: true,
            ..Thresholds::default()
        };
        let comparison = compare(None, &current, &thresholds, true);
        let notes: Vec<_> = comparison.checks.iter().map(|check| check.note.as_deref()).collect();
        assert_eq!(
            notes,
            [
                None,
                Some(NO_BASELINE),
                Some(NOT_ASKED),
                Some(NO_BASELINE),
                Some(NO_BASELINE),
                Some(NOT_ASKED),
                Some(NOT_ASKED)
            ]
        );
        assert!(!comparison.passed);
        assert_eq!(comparison.case_diffs, CaseChanges::default());
    }

    #[test]
    fn known_flaky_case_fails_no_gate() {
        let mut flaky = case("flaky", CaseStatus::Pass, &[]);
        flaky.history = CaseHistory { runs: 5, passes: 4 };
        let baseline = run([flaky, case("steady", CaseStatus::Pass, &[]), case("red", CaseStatus::Fail, &[])]);
        let failed = ["flaky", "steady", "red"].map(|id| case(id, CaseStatus::Error, &[]));
        let thresholds = Thresholds { no_new_failures: true, ..Thresholds::default() };
        let comparison = compare(Some(&baseline), &run(failed), &thresholds, true);
        assert_eq!(
            (comparison.checks[3].status, &comparison.checks[3].cases),
            (GateStatus::Fail, &vec!["steady".into()])
        );
        assert_eq!(
            comparison.warnings,
            ["`flaky` does not pass and is not counted by `no_new_failures`: in the baseline it passed 4 of 5 runs"]
        );
    }

    #[test]
    fn partial_run_is_compared_with_same_baseline_cases() {
        let took = |wall_ms, id| BaselineCase { wall_ms, ..case(id, CaseStatus::Pass, &[]) };
        let baseline = run([took(1000.0, "slow"), took(10.0, "quick")]);
        let current = run([took(10.0, "quick")]);
        let thresholds =
            Thresholds { no_missing_cases: true, max_avg_wall_ms_delta_pct: Some(0.0), ..Thresholds::default() };
        let comparison = compare(Some(&baseline), &current, &thresholds, false);
        assert!(comparison.passed);
        assert_eq!(comparison.metrics.wall_ms.mean.baseline, Some(10.0));
        assert_eq!(comparison.warnings, ["only part of the suite was run: 1 of 2 cases of the baseline are compared"]);
        let comparison = compare(Some(&baseline), &current, &thresholds, true);
        assert_eq!(comparison.checks[4].cases, ["slow"]);
    }

    #[test]
    fn steps_recorded_by_older_rule_fail_no_gate() {
        let thresholds = Thresholds { no_changed_steps: true, ..Thresholds::default() };
        let old = || Baseline { steps_rule: 1, ..run([case("a", CaseStatus::Pass, &[("refund", "00")])]) };
        let seen =
            |steps: &[(&str, &str)]| run([BaselineCase { seen_by_others: true, ..case("a", CaseStatus::Pass, steps) }]);
        let comparison = compare(Some(&old()), &seen(&[]), &thresholds, true);
        assert_eq!(statuses(&comparison)[5], GateStatus::Skipped);
        assert!(comparison.checks[5].note.as_deref().unwrap().contains("agentci baseline promote"), "{comparison:?}");
        assert_eq!((comparison.warnings.len(), comparison.case_diffs.steps_changed.len()), (1, 0));
        // Steps that are the same by both rules are compared.
        let same = compare(Some(&old()), &seen(&[("refund", "00")]), &thresholds, true);
        assert_eq!((statuses(&same)[5], same.warnings.len()), (GateStatus::Pass, 0));
        // So are cases that only the protocol reports, and everything recorded by one rule.
        let protocol = compare(Some(&old()), &run([case("a", CaseStatus::Pass, &[])]), &thresholds, true);
        assert_eq!(statuses(&protocol)[5], GateStatus::Fail);
        let new = Baseline { steps_rule: crate::STEPS_RULE, ..old() };
        assert_eq!(statuses(&compare(Some(&new), &seen(&[]), &thresholds, true))[5], GateStatus::Fail);
    }

    #[test]
    fn different_version_or_suite_is_a_warning() {
        let baseline = Baseline { schema_version: 3, suite: "other".into(), ..run([]) };
        let comparison = compare(Some(&baseline), &run([]), &Thresholds::default(), true);
        assert!(comparison.passed);
        assert_eq!(comparison.warnings.len(), 2);
        assert!(comparison.warnings[0].contains("schema version 3, newer than 2"), "{:?}", comparison.warnings);
    }
}
