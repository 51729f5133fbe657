//! Evidence that grows run by run: a case is repeated until it is clear whether it got worse.
//!
//! A p-value is only valid for a number of runs that was fixed before. An e-value may be looked at after each run: runs
//! may stop at any time, because of what they showed. Both e-values here multiply up likelihood ratios.
//!
//! # Regressed
//!
//! The alternative is that the pass rate is lower than the history's, `r = (passes + 1) / (runs + 2)`, by one of a few
//! drops, with equal weight. The null is that it is the same. But the true rate is not known, and using `r` for it
//! would cause false alarms: after 50 of 50 passes `r` is 0.98, and a case with a true rate of 0.95 fails 2.6 times as
//! often as that. So the null is what the history predicts with this uncertainty: each run passes with probability
//! `(passes + 1/2) / (runs + 1)`, where both counts include the runs before it. This is the beta-binomial distribution
//! with Jeffreys' prior. The e-value is the ratio of the two probabilities of the current runs.
//!
//! - Averaged over rates from Jeffreys' prior, it is a martingale with mean 1 under the null, since numerator and
//!   denominator are both probabilities of the current runs given the history. By Ville's inequality it ever reaches
//!   `x` with a probability of at most `1 / x`.
//! - For one fixed rate it is not an e-process: its mean can exceed 1 (1.6 at a fixed number of runs after a history of
//!   50, 3.3 if runs stop at the worst time). Its tail, which causes false alarms, does keep the bound. Computed
//!   exactly over all outcomes, for histories of 1 to 200 runs, up to 100 current runs and a grid of rates: `x` times
//!   the probability of ever reaching `x` is at most 0.92 for each `x` from 5 to 100,000, and less if the current rate
//!   is higher. So `1 / e` is a p-value that stays valid when runs stop at any time, for levels up to 0.2. With far
//!   more current runs than that and a short history, it is not: 1.2 at `x = 20` for 5 and 300 runs.
//!
//! A test below repeats a part of this computation. Two other nulls were measured the same way. A lower confidence
//! bound (one standard error) fails at large `x`, which many cases need: the history is sometimes luckier than the
//! bound, and at `x = 1000` there are 1.4, 5 and 14 times as many false alarms as allowed, for histories of 50, 20 and
//! 10 runs. The rate that explains history and current runs best is an e-process for each fixed rate, but finds fewer
//! regressions: a drop from 0.95 by 0.3 reaches `x = 20` within 20 runs in 48 % of cases rather than 77 %.
//!
//! # Unchanged
//!
//! The null is that the pass rate is at most `t`: the history's rate plus one standard error (the upper Wilson bound),
//! minus the smallest drop that matters. Without the standard error, a drop of exactly that size would be taken for no
//! change in 7 % of cases with a history of 50 runs, and 13 % with 20, at a rate of 0.5; with it, in at most 5 %. The
//! alternative is the rate `a` that the history predicts for the first run, but at least `t`.
//!
//! This is an e-process for each rate `p` up to `t`: the expected factor of the next run is
//! `p * a / t + (1 - p) * (1 - a) / (1 - t)`. It is linear in `p` with slope `a / t - (1 - a) / (1 - t)`, which is not
//! negative because `a >= t`; and at `p = t` it is 1. So it is at most 1 for `p <= t`, whatever the runs before.
//!
//! Both e-values depend on the numbers of passes and failures only, not on their order. So a run that was stored as
//! counts can be evaluated again.

use crate::Counts;
use crate::counts::real;

/// No rate is assumed to be lower: a case that never passes would otherwise be impossible, not just unlikely.
const LOWEST: f64 = 0.01;

/// The drops that a regression may have. Not a setting: the bound on false alarms was computed for these. Others can
/// break it: 0.25, 0.5, 0.83 and 0.9 give 1.2 times as many as allowed after a history of 2 or 3 runs.
const DROPS: [f64; 4] = [0.15, 0.3, 0.5, 0.8];

/// The evidence about a case, run by run.
#[derive(Debug, Clone)]
pub struct SequentialEvidence {
    history: Counts,
    current: Counts,
    /// The pass rates that a regression may have.
    lower: [Logarithms; 4],
    /// The highest pass rate that counts as a drop that matters.
    threshold: Logarithms,
    /// The logarithm of the probability of the current runs as the history predicts them.
    predicted: f64,
    /// The pass rate of a case that is as before, at least the threshold.
    before: Logarithms,
}

/// The logarithms of a pass rate and of its complement.
#[derive(Debug, Clone, Copy)]
struct Logarithms {
    passes: f64,
    fails: f64,
}

impl Logarithms {
    fn of(rate: f64) -> Self {
        Self { passes: rate.ln(), fails: (1.0 - rate).ln() }
    }

    /// The logarithm of the probability of these runs.
    fn likelihood(self, runs: Counts) -> f64 {
        real(runs.passes) * self.passes + real(runs.failures()) * self.fails
    }
}

impl SequentialEvidence {
    /// The usual smallest drop of the pass rate that matters.
    pub const DROP: f64 = 0.3;

    /// No current runs yet. `drop` is the smallest drop of the pass rate that matters: "unchanged" means that a drop of
    /// this size is refuted. It does not affect [`regressed_e`](Self::regressed_e).
    pub fn new(history: Counts, drop: f64) -> Self {
        let shrunk = (real(history.passes) + 1.0) / (real(history.runs) + 2.0);
        let threshold = (upper_bound(history) - drop).clamp(LOWEST, 1.0 - LOWEST);
        Self {
            history,
            current: Counts::default(),
            lower: DROPS.map(|drop| Logarithms::of((shrunk - drop).max(LOWEST))),
            threshold: Logarithms::of(threshold),
            predicted: 0.0,
            before: Logarithms::of(((real(history.passes) + 0.5) / (real(history.runs) + 1.0)).max(threshold)),
        }
    }

    /// The evidence after these current runs.
    pub fn of(history: Counts, current: Counts, drop: f64) -> Self {
        let mut evidence = Self::new(history, drop);
        (0..current.passes).for_each(|_| evidence.observe(true));
        (0..current.failures()).for_each(|_| evidence.observe(false));
        evidence
    }

    /// Adds a current run.
    pub fn observe(&mut self, passed: bool) {
        let all_passes = real(self.history.passes + self.current.passes) + 0.5;
        let all_failures = real(self.history.failures() + self.current.failures()) + 0.5;
        let expected = all_passes / (all_passes + all_failures);
        self.predicted += if passed { expected } else { 1.0 - expected }.ln();
        self.current = self.current.with(passed);
    }

    /// The current runs so far.
    pub fn current(&self) -> Counts {
        self.current
    }

    /// The e-value that the pass rate is lower than the history's. 1 without a history.
    pub fn regressed_e(&self) -> f64 {
        if self.history.runs == 0 {
            return 1.0;
        }
        let ratio = |rate: &Logarithms| (rate.likelihood(self.current) - self.predicted).exp();
        self.lower.iter().map(ratio).sum::<f64>() / real(self.lower.len() as u64)
    }

    /// The e-value that the pass rate is not lower by the smallest drop that matters, or more. 1 without a history;
    /// infinite if the history has no pass, since such a case cannot get worse.
    pub fn unchanged_e(&self) -> f64 {
        match self.history {
            Counts { runs: 0, .. } => 1.0,
            Counts { passes: 0, .. } => f64::INFINITY,
            _ => (self.before.likelihood(self.current) - self.threshold.likelihood(self.current)).exp(),
        }
    }
}

/// The pass rate plus one standard error: the upper Wilson bound for `z = 1`, which is 1 if all runs passed.
fn upper_bound(counts: Counts) -> f64 {
    let (passes, failures) = (real(counts.passes), real(counts.failures()));
    let runs = passes + failures;
    if runs == 0.0 {
        return 1.0;
    }
    (passes + 0.5 + (passes * failures / runs + 0.25).sqrt()) / (runs + 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Random;

    const RUNS: u64 = 20;

    fn after(history: (u64, u64), runs: &[bool]) -> SequentialEvidence {
        let mut evidence =
            SequentialEvidence::new(Counts { passes: history.0, runs: history.1 }, SequentialEvidence::DROP);
        for &passed in runs {
            evidence.observe(passed);
        }
        evidence
    }

    #[test]
    fn failures_are_evidence_of_a_regression() {
        assert!((after((50, 50), &[]).regressed_e() - 1.0).abs() < 1e-15);
        assert!(after((50, 50), &[false, false]).regressed_e() > 20.0);
        assert!(after((25, 50), &[false, false]).regressed_e() < 5.0);
        assert!(after((50, 50), &[true; 10]).regressed_e() < 0.5);
    }

    #[test]
    fn agrees_with_the_definition_after_one_run() {
        // The four drops have a mean of 0.4375, and none of these rates is below the lowest.
        let (failed, passed) = (after((50, 50), &[false]), after((50, 54), &[true]));
        assert!((failed.regressed_e() / ((1.0 - 51.0 / 52.0 + 0.4375) / (0.5 / 51.0)) - 1.0).abs() < 1e-12);
        assert!((passed.regressed_e() / ((51.0 / 56.0 - 0.4375) / (50.5 / 55.0)) - 1.0).abs() < 1e-12);
        assert!((after((50, 50), &[true]).unchanged_e() / (50.5 / 51.0 / 0.7) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn passes_are_evidence_of_no_change() {
        assert!(after((50, 50), &[true; 9]).unchanged_e() > 20.0);
        assert!(after((50, 50), &[true; 8]).unchanged_e() < 20.0);
        assert!(after((50, 50), &[false; 2]).unchanged_e() < 0.1);
    }

    #[test]
    fn without_a_history_there_is_no_evidence() {
        let evidence = after((0, 0), &[false; 20]);
        assert_eq!((evidence.regressed_e(), evidence.unchanged_e()), (1.0, 1.0));
    }

    #[test]
    fn a_case_that_never_passed_cannot_get_worse() {
        let evidence = after((0, 50), &[false; 20]);
        assert!(evidence.regressed_e() < 1.0 && evidence.unchanged_e().is_infinite());
    }

    #[test]
    fn the_order_of_the_runs_does_not_matter() {
        for history in [(3, 3), (45, 50), (2, 40)] {
            let one = after(history, &[false, false, true, false, true]);
            let other = after(history, &[true, false, true, false, false]);
            let counts = Counts { passes: 2, runs: 5 };
            let counted =
                SequentialEvidence::of(Counts { passes: history.0, runs: history.1 }, counts, SequentialEvidence::DROP);
            for again in [other, counted] {
                assert!((one.regressed_e() / again.regressed_e() - 1.0).abs() < 1e-12);
                assert!((one.unchanged_e() / again.unchanged_e() - 1.0).abs() < 1e-12);
            }
        }
    }

    /// Histories of up to 12 runs, and of 50.
    fn histories() -> impl Iterator<Item = (u64, u64)> {
        (1..=12).flat_map(|runs| (0..=runs).map(move |passes| (passes, runs))).chain([(50, 50), (47, 50), (20, 50)])
    }

    /// Every possible result of up to 8 current runs, with the evidence after it.
    fn every_result(history: (u64, u64)) -> impl Iterator<Item = (SequentialEvidence, [SequentialEvidence; 2])> {
        let results = (0..=8_u32).flat_map(|runs| (0..1_u32 << runs).map(move |bits| (runs, bits)));
        results.map(move |(runs, bits)| {
            let before: Vec<bool> = (0..runs).map(|at| bits >> at & 1 == 1).collect();
            let next = [true, false].map(|passed| after(history, &[&before[..], &[passed]].concat()));
            (after(history, &before), next)
        })
    }

    #[test]
    fn no_run_is_expected_to_raise_the_evidence_of_a_regression() {
        // The history predicts the next run. Step by step the mean stays the same, so it is 1 whenever runs stop.
        for history in histories() {
            for (now, [passed, failed]) in every_result(history) {
                let all = real(history.1 + now.current().runs) + 1.0;
                let rate = (real(history.0 + now.current().passes) + 0.5) / all;
                let mean = rate * passed.regressed_e() + (1.0 - rate) * failed.regressed_e();
                assert!((mean / now.regressed_e() - 1.0).abs() < 1e-9, "{history:?} {now:?}");
            }
        }
    }

    #[test]
    fn no_run_is_expected_to_raise_the_evidence_of_no_change_after_a_drop() {
        for history in histories().filter(|history| history.0 > 0) {
            let most = after(history, &[]).threshold.passes.exp();
            for (now, [passed, failed]) in every_result(history) {
                for rate in [0.0, most / 3.0, most * 0.9, most] {
                    let mean = rate * passed.unchanged_e() + (1.0 - rate) * failed.unchanged_e();
                    assert!(mean <= now.unchanged_e() * (1.0 + 1e-9), "{history:?} {now:?} at {rate}");
                }
            }
        }
    }

    /// The probability of ever reaching each e-value within [`RUNS`] runs, over all outcomes of history and current
    /// runs, when all of them pass at the same rate.
    fn alarms(past_runs: u64, rate: f64, limits: [f64; 3]) -> [f64; 3] {
        let mut total = [0.0; 3];
        // The probability of each number of passes.
        let step = |before: &[f64]| -> Vec<f64> {
            let at = |index: Option<usize>| index.and_then(|index| before.get(index)).copied().unwrap_or(0.0);
            (0..=before.len()).map(|i| at(Some(i)) * (1.0 - rate) + at(i.checked_sub(1)) * rate).collect()
        };
        let histories = (0..past_runs).fold(vec![1.0], |before, _| step(&before));
        for (passes, chance) in (0..).zip(histories) {
            let start = after((passes, past_runs), &[]);
            let mut going = limits.map(|_| vec![chance]);
            let mut evidence = vec![start];
            for _ in 0..RUNS {
                let mut first = evidence[0].clone();
                first.observe(false);
                for evidence in &mut evidence {
                    evidence.observe(true);
                }
                evidence.insert(0, first);
                let e: Vec<f64> = evidence.iter().map(SequentialEvidence::regressed_e).collect();
                for ((limit, going), total) in limits.iter().zip(&mut going).zip(&mut total) {
                    *going = step(going);
                    for (chance, _) in going.iter_mut().zip(&e).filter(|(_, e)| *e >= limit) {
                        *total += std::mem::take(chance);
                    }
                }
            }
        }
        total
    }

    #[test]
    fn false_alarms_stay_below_the_level_for_each_rate() {
        let limits = [20.0, 1_000.0, 100_000.0];
        for past_runs in [1, 3, 10, 50] {
            for rate in [0.2, 0.4, 0.6, 0.8, 0.9, 0.95, 0.98, 0.995] {
                let alarms = alarms(past_runs, rate, limits);
                let shares = [0, 1, 2].map(|i| alarms[i] * limits[i]);
                assert!(shares.iter().all(|share| *share < 0.75), "{past_runs} runs, rate {rate}: {shares:?}");
            }
        }
    }

    /// Of simulated cases with 50 runs of history: the shares found to be regressed and unchanged at level 0.05, and
    /// the mean number of runs to a decision.
    fn simulate(random: &mut Random, before: f64, now: f64) -> (f64, f64, f64) {
        let cases = 4_000;
        let (mut regressed, mut unchanged, mut runs) = (0, 0, 0);
        for _ in 0..cases {
            let mut evidence = after((random.binomial(50, before), 50), &[]);
            while evidence.current().runs < RUNS {
                evidence.observe(random.passes(now));
                if evidence.regressed_e() >= 20.0 {
                    regressed += 1;
                    break;
                }
                if evidence.unchanged_e() >= 20.0 {
                    unchanged += 1;
                    break;
                }
            }
            runs += evidence.current().runs;
        }
        let share = |count: u64| real(count) / real(cases);
        let result = (share(regressed), share(unchanged), share(runs));
        println!("{before} -> {now}: regressed {:.3}, unchanged {:.3}, runs {:.1}", result.0, result.1, result.2);
        result
    }

    #[test]
    fn decides_solid_and_broken_cases_early() {
        let mut random = Random::new(1);
        for rate in [0.97, 0.995, 1.0] {
            let (regressed, _, runs) = simulate(&mut random, rate, rate);
            assert!(regressed <= 0.06 && runs <= 12.0, "{rate}: {regressed} {runs}");
            let (regressed, unchanged, runs) = simulate(&mut random, rate, 0.0);
            assert!(regressed >= 0.999 && unchanged <= 0.001 && runs <= 6.0, "{rate}: {regressed} {unchanged} {runs}");
        }
    }

    #[test]
    fn does_not_take_a_drop_for_no_drop() {
        let mut random = Random::new(2);
        for rate in [0.5, 0.7, 0.9, 0.97, 1.0] {
            let (_, unchanged, _) = simulate(&mut random, rate, rate - 0.3);
            assert!(unchanged <= 0.06, "{rate}: {unchanged}");
        }
    }
}
