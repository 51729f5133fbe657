//! Repeating a case until it is decided: when to stop, which drops would be noticed, and how many runs are missing.

use crate::counts::real;
use crate::{Counts, SequentialEvidence};

/// When a case that is repeated is decided.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StoppingRule {
    /// The e-value from which a case got worse.
    pub regressed: f64,
    /// The e-value from which a case is unchanged.
    pub unchanged: f64,
}

/// What the runs of a case show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SequentialResult {
    /// The case got worse.
    Regressed,
    /// The case did not get worse.
    Unchanged,
    /// More runs are needed.
    Open,
}

impl StoppingRule {
    /// A rule that keeps the share of false alarms at `level` among this number of cases, whatever the others show. That
    /// a case is unchanged is decided for each case by itself, wrongly in a share of `alpha`.
    pub fn new(cases: usize, level: f64, alpha: f64) -> Self {
        Self { regressed: real(cases.max(1) as u64) / level, unchanged: 1.0 / alpha }
    }

    /// What the runs of a case show.
    pub fn result(&self, evidence: &SequentialEvidence) -> SequentialResult {
        if evidence.regressed_e() >= self.regressed {
            SequentialResult::Regressed
        } else if evidence.unchanged_e() >= self.unchanged {
            SequentialResult::Unchanged
        } else {
            SequentialResult::Open
        }
    }

    /// The smallest total number of runs, up to `most`, that decides the case if its current pass rate continues. Passes
    /// are rounded against each result, so that the promise is not too good. `None` without current runs, or if `most`
    /// are not enough.
    pub fn runs_to_decide(&self, history: Counts, current: Counts, most: u64) -> Option<u64> {
        if current.runs == 0 {
            return None;
        }
        let product = |runs: u64| u128::from(current.passes) * u128::from(runs);
        let fewest = |runs: u64| product(runs) / u128::from(current.runs);
        let fullest = |runs: u64| product(runs).div_ceil(u128::from(current.runs));
        let now = SequentialEvidence::of(history, current, SequentialEvidence::DROP);
        let (mut pessimistic, mut optimistic) = (now.clone(), now);
        for runs in current.runs..=most {
            if self.result(&optimistic) == SequentialResult::Regressed
                || self.result(&pessimistic) == SequentialResult::Unchanged
            {
                return Some(runs);
            }
            optimistic.observe(fullest(runs + 1) > fullest(runs));
            pessimistic.observe(fewest(runs + 1) > fewest(runs));
        }
        None
    }
}

/// The evidence about a case after each possible result, up to a number of runs.
#[derive(Debug, Clone)]
pub struct SequentialTable {
    /// By the number of runs, then by the number of passes.
    evidence: Vec<Vec<SequentialEvidence>>,
    history: Counts,
}

impl SequentialTable {
    /// All results of up to `most` runs.
    pub fn new(history: Counts, most: u64) -> Self {
        let mut evidence = vec![vec![SequentialEvidence::new(history, SequentialEvidence::DROP)]];
        for _ in 0..most {
            let before = evidence.last().expect("there is the evidence after no runs");
            let with = |one: &SequentialEvidence, passed: bool| {
                let mut one = one.clone();
                one.observe(passed);
                one
            };
            let next = [with(&before[0], false)].into_iter().chain(before.iter().map(|one| with(one, true)));
            let next = next.collect();
            evidence.push(next);
        }
        Self { evidence, history }
    }

    /// The evidence after these runs, which must be in the table.
    pub fn at(&self, current: Counts) -> Option<&SequentialEvidence> {
        self.evidence.get(usize::try_from(current.runs).ok()?)?.get(usize::try_from(current.passes).ok()?)
    }

    /// The probability that a case with this pass rate is found to be worse.
    pub fn power(&self, rule: StoppingRule, rate: f64) -> f64 {
        self.results(rule).power(rate)
    }

    /// The highest pass rate below the history's, in steps of 1 %, that is noticed with at least the probability
    /// `power`. `None` if not even a rate of 0 is.
    pub fn detectable_rate(&self, rule: StoppingRule, power: f64) -> Option<f64> {
        let rate = self.history.rate()?;
        let results = self.results(rule);
        // A lower rate is noticed more often: fewer passes are never evidence against a regression.
        let (mut noticed, mut missed) = (0_u32, 100_u32);
        let at = |percent: u32| f64::from(percent) / 100.0;
        let is_noticed = |percent: u32| at(percent) < rate && results.power(at(percent)) >= power;
        if !is_noticed(noticed) {
            return None;
        }
        while missed - noticed > 1 {
            let middle = u32::midpoint(noticed, missed);
            if is_noticed(middle) { noticed = middle } else { missed = middle }
        }
        Some(at(noticed))
    }

    fn results(&self, rule: StoppingRule) -> ResultTable {
        ResultTable(self.evidence.iter().map(|row| row.iter().map(|one| rule.result(one)).collect()).collect())
    }
}

/// The result after each possible number of runs and passes.
struct ResultTable(Vec<Vec<SequentialResult>>);

impl ResultTable {
    fn power(&self, rate: f64) -> f64 {
        let mut noticed = 0.0;
        // The probability of each number of passes, as far as the case is not decided.
        let mut open = vec![1.0];
        for row in &self.0 {
            for (chance, result) in open.iter_mut().zip(row) {
                if *result == SequentialResult::Regressed {
                    noticed += *chance;
                }
                if *result != SequentialResult::Open {
                    *chance = 0.0;
                }
            }
            let mut next = vec![0.0; open.len() + 1];
            for (passes, chance) in open.iter().enumerate() {
                next[passes] += chance * (1.0 - rate);
                next[passes + 1] += chance * rate;
            }
            open = next;
        }
        noticed
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Random;

    const SOLID: Counts = Counts { passes: 50, runs: 50 };

    fn counts(passes: u64, runs: u64) -> Counts {
        Counts { passes, runs }
    }

    #[test]
    fn stops_after_a_few_clear_runs() {
        let rule = StoppingRule::new(50, 0.05, 0.05);
        let result = |current| rule.result(&SequentialEvidence::of(SOLID, current, SequentialEvidence::DROP));
        assert_eq!(result(counts(0, 0)), SequentialResult::Open);
        assert_eq!(result(counts(0, 2)), SequentialResult::Open);
        assert_eq!(result(counts(0, 3)), SequentialResult::Regressed);
        assert_eq!(result(counts(8, 8)), SequentialResult::Open);
        assert_eq!(result(counts(9, 9)), SequentialResult::Unchanged);
    }

    #[test]
    fn a_tie_stays_open() {
        let rule = StoppingRule { regressed: 1.0 + 1e-9, unchanged: 1.0 + 1e-9 };
        let none = SequentialEvidence::new(counts(0, 0), SequentialEvidence::DROP);
        assert_eq!(rule.result(&none), SequentialResult::Open);
    }

    #[test]
    fn power_agrees_with_simulated_cases() {
        let (rule, table) = (StoppingRule::new(20, 0.05, 0.05), SequentialTable::new(counts(47, 50), 20));
        let mut random = Random::new(3);
        for rate in [0.0, 0.3, 0.6, 0.8] {
            let noticed = (0..4_000).filter(|_| {
                let mut current = Counts::default();
                loop {
                    match table.at(current).map(|evidence| rule.result(evidence)) {
                        Some(SequentialResult::Open) => current = current.with(random.passes(rate)),
                        result => break result == Some(SequentialResult::Regressed),
                    }
                }
            });
            let simulated = real(noticed.count() as u64) / 4_000.0;
            assert!((simulated - table.power(rule, rate)).abs() < 0.04, "{rate}: {simulated}");
        }
    }

    #[test]
    fn more_runs_notice_smaller_drops() {
        let rule = StoppingRule::new(10, 0.05, 0.05);
        let rates: Vec<_> =
            [1, 2, 5, 20].map(|most| SequentialTable::new(SOLID, most).detectable_rate(rule, 0.8)).into();
        assert!(rates[0].is_none() && rates.is_sorted() && rates[3] > Some(0.5), "{rates:?}");
        let table = SequentialTable::new(SOLID, 20);
        let powers: Vec<f64> = (0..100_u32).map(|percent| table.power(rule, f64::from(percent) / 100.0)).collect();
        assert!(powers.is_sorted_by(|one, other| *one >= *other - 1e-12), "{powers:?}");
        assert_eq!(
            rates[3],
            (0..100_u32).rev().map(|at| f64::from(at) / 100.0).find(|&at| table.power(rule, at) >= 0.8)
        );
        assert_eq!(SequentialTable::new(counts(0, 50), 20).detectable_rate(rule, 0.8), None);
        assert_eq!(SequentialTable::new(Counts::default(), 20).detectable_rate(rule, 0.8), None);
    }

    #[test]
    fn tells_how_many_runs_would_decide() {
        let rule = StoppingRule::new(1, 0.05, 0.05);
        let needed = |history, current| rule.runs_to_decide(history, current, 200);
        assert_eq!(needed(SOLID, counts(1, 1)), Some(9));
        assert_eq!(needed(SOLID, counts(9, 9)), Some(9), "it is decided already");
        assert_eq!(needed(SOLID, counts(0, 0)), None, "nothing is known about it");
        assert_eq!(needed(counts(0, 0), counts(3, 5)), None);
        let flaky = needed(counts(30, 50), counts(12, 20)).unwrap();
        let at = |passes, runs| {
            rule.result(&SequentialEvidence::of(counts(30, 50), counts(passes, runs), SequentialEvidence::DROP))
        };
        assert!((21..60).contains(&flaky), "{flaky}");
        assert_eq!(at(flaky * 12 / 20, flaky), SequentialResult::Unchanged);
    }
}
