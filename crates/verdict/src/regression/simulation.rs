//! What the gate `no_regression` would do to a suite: how often it would be red although nothing changed, and how often
//! it would notice a change. Simulated with the suite's own history.

use std::collections::BTreeMap;
use std::rc::Rc;

use agentci_statistics::{Counts, Random, SequentialResult, SequentialTable, StoppingRule};
use serde::Serialize;

use super::Trend;
use super::decision::{ComparedCase, RateDecision};
use super::repeats::RepeatedCase;
use crate::{Baseline, CaseHistory};

/// A change of the agent to simulate.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum SimulatedChange {
    /// Nothing changes.
    None,
    /// One case, a different one each time, never passes.
    OneBroken,
    /// The pass rates of a share of the cases fall.
    SomeDrop {
        /// The share of the cases.
        share: f64,
        /// How far their pass rates fall.
        drop: f64,
    },
    /// The pass rates of all cases fall.
    AllDrop {
        /// How far they fall.
        drop: f64,
    },
}

/// What to simulate.
#[derive(Debug, Clone, Copy)]
pub struct Simulation {
    /// The accepted share of false alarms.
    pub alpha: f64,
    /// The number of runs of each case.
    pub runs: u64,
    /// The maximum number of runs of a case that is repeated until it is decided.
    pub most_runs: u64,
    /// The number of simulated runs of the suite.
    pub rounds: u32,
    /// The seed of all random choices.
    pub seed: u64,
}

/// What the gate would do to cases that are repeated until they are decided.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct SimulatedRepeats {
    /// The share of simulated runs that the gate would fail.
    pub red: f64,
    /// The share of simulated runs that would end without enough runs to tell.
    pub undecided: f64,
    /// The mean number of runs of a case.
    pub runs: f64,
}

impl Simulation {
    /// The share of simulated runs that the gate would fail, with a fixed number of runs.
    pub fn red(&self, histories: &[CaseHistory], change: SimulatedChange) -> f64 {
        let mut red = 0;
        self.each_round(histories, change, |cases, rates, random| {
            for (case, rate) in cases.iter_mut().zip(rates) {
                case.current = Counts { passes: random.binomial(self.runs, *rate), runs: self.runs };
            }
            red += u64::from(RateDecision::of(cases, self.alpha).is_regressed());
        });
        self.share(red)
    }

    /// What the gate would do if each case is repeated until it is decided.
    pub fn until_decided(&self, histories: &[CaseHistory], change: SimulatedChange) -> SimulatedRepeats {
        let mut known: BTreeMap<(u64, u64), Rc<SimulatedResults>> = BTreeMap::new();
        let bars = StoppingRule::new(histories.len(), self.alpha / 2.0, self.alpha);
        let results: Vec<Rc<SimulatedResults>> = histories
            .iter()
            .map(|history| {
                let results = || Rc::new(SimulatedResults::new(counts(*history), self.most_runs, bars));
                Rc::clone(known.entry((history.passes, history.runs)).or_insert_with(results))
            })
            .collect();
        let (mut red, mut undecided, mut runs) = (0, 0, 0);
        self.each_round(histories, change, |cases, rates, random| {
            for ((case, rate), results) in cases.iter_mut().zip(rates).zip(&results) {
                case.current = Counts::default();
                while results.at(case.current).0 == SequentialResult::Open && case.current.runs < self.most_runs {
                    case.current = case.current.with(random.passes(*rate));
                }
                case.repeated = Some(results.at(case.current).1);
                runs += case.current.runs;
            }
            let decision = RateDecision::of(cases, self.alpha);
            let is_red = decision.is_regressed();
            let is_open = decision.cases.iter().any(|case| case.trend == Trend::Undecided);
            red += u64::from(is_red);
            undecided += u64::from(!is_red && is_open);
        });
        let mean = self.share(runs) / to_float(histories.len().max(1) as u64);
        SimulatedRepeats { red: self.share(red), undecided: self.share(undecided), runs: mean }
    }

    /// Simulates rounds: each gets the cases, and the true pass rate of each case in this round.
    fn each_round(
        &self,
        histories: &[CaseHistory],
        change: SimulatedChange,
        mut round: impl FnMut(&mut [ComparedCase<'_>], &[f64], &mut Random),
    ) {
        let mut random = Random::new(self.seed);
        let mut cases: Vec<ComparedCase<'_>> = histories.iter().map(|history| simulated(*history)).collect();
        let usual = usual_rate(histories);
        for _ in 0..self.rounds {
            let broken = random.next_u64() % (cases.len().max(1) as u64);
            let rate = |(at, case): (usize, &ComparedCase<'_>)| {
                // The true rate is not known: any rate that explains the history may be it.
                let rate = likely_rate(case.history, usual, &mut random);
                let rate = match change {
                    SimulatedChange::OneBroken if at as u64 == broken => 0.0,
                    SimulatedChange::SomeDrop { share, drop } if random.next_f64() < share => rate - drop,
                    SimulatedChange::AllDrop { drop } => rate - drop,
                    _ => rate,
                };
                rate.clamp(0.0, 1.0)
            };
            let rates: Vec<f64> = cases.iter().enumerate().map(rate).collect();
            round(&mut cases, &rates, &mut random);
        }
    }

    /// The share of the rounds.
    fn share(&self, count: u64) -> f64 {
        to_float(count) / f64::from(self.rounds.max(1))
    }

    /// The results of each case in the history of a baseline, over the runs of one mode.
    pub fn histories(baseline: &Baseline, mode: &str) -> Vec<CaseHistory> {
        let total = |id: &str| {
            let samples = baseline.history.samples(id, mode).map(CaseHistory::from);
            samples.fold(CaseHistory::default(), CaseHistory::plus)
        };
        let all = baseline.cases.iter().map(|case| total(&case.id));
        all.filter(|history| history.runs > 0).collect()
    }
}

/// The results of a case after each number of runs and passes.
struct SimulatedResults(Vec<Vec<(SequentialResult, RepeatedCase)>>);

impl SimulatedResults {
    fn new(history: Counts, most: u64, bars: StoppingRule) -> Self {
        let table = SequentialTable::new(history, most);
        let cell = |runs, passes| {
            let evidence = table.at(Counts { passes, runs }).expect("the table has all results");
            (bars.result(evidence), RepeatedCase::new(most, evidence))
        };
        Self((0..=most).map(|runs| (0..=runs).map(|passes| cell(runs, passes)).collect()).collect())
    }

    fn at(&self, current: Counts) -> (SequentialResult, RepeatedCase) {
        let index = |count: u64| usize::try_from(count).unwrap_or(usize::MAX);
        self.0[index(current.runs)][index(current.passes)]
    }
}

fn counts(history: CaseHistory) -> Counts {
    Counts { passes: history.passes, runs: history.runs }
}

fn simulated(history: CaseHistory) -> ComparedCase<'static> {
    let history = counts(history);
    ComparedCase { id: "", history, current: Counts::default(), deterministic: false, repeated: None }
}

/// The pass rate of all cases together, which is never quite certain.
fn usual_rate(histories: &[CaseHistory]) -> f64 {
    let all = histories.iter().copied().fold(CaseHistory::default(), CaseHistory::plus);
    (to_float(all.passes) + 0.5) / (to_float(all.runs) + 1.0)
}

/// A pass rate that may have led to the history: a draw from its posterior distribution, if a case is like the others
/// until its history says otherwise. The prior weighs as much as one run.
fn likely_rate(history: Counts, usual: f64, random: &mut Random) -> f64 {
    let passed = gamma(to_float(history.passes) + usual, random);
    let failed = gamma(to_float(history.failures()) + 1.0 - usual, random);
    passed / (passed + failed)
}

#[expect(clippy::cast_precision_loss, reason = "there are few runs")]
fn to_float(count: u64) -> f64 {
    count as f64
}

/// A draw from the gamma distribution with this shape and scale 1, by the method of Marsaglia and Tsang.
fn gamma(shape: f64, random: &mut Random) -> f64 {
    if shape < 1.0 {
        let boost = random.next_f64().max(f64::MIN_POSITIVE).powf(1.0 / shape);
        return gamma(shape + 1.0, random) * boost;
    }
    let d = shape - 1.0 / 3.0;
    let c = 1.0 / (9.0 * d).sqrt();
    loop {
        let normal = agentci_statistics::normal::quantile(random.next_f64().clamp(1e-300, 1.0 - 1e-16));
        let v = (1.0 + c * normal).powi(3);
        let u = random.next_f64().max(f64::MIN_POSITIVE);
        if v > 0.0 && u.ln() < 0.5 * normal * normal + d - d * v + d * v.ln() {
            return d * v;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn simulation_uses_the_history() {
        let simulation = Simulation { alpha: 0.05, runs: 5, most_runs: 20, rounds: 300, seed: 1 };
        let solid = vec![CaseHistory { runs: 50, passes: 50 }; 30];
        assert!(simulation.red(&solid, SimulatedChange::None) <= 0.06);
        assert!(simulation.red(&solid, SimulatedChange::OneBroken) >= 0.95);
        assert!(simulation.red(&solid, SimulatedChange::AllDrop { drop: 0.3 }) >= 0.95);
        let short = vec![CaseHistory { runs: 2, passes: 2 }; 30];
        assert!(simulation.red(&short, SimulatedChange::OneBroken) < 0.3, "a short history shows little");
        let repeats = |histories: &[CaseHistory], change| simulation.until_decided(histories, change);
        let unchanged = repeats(&solid, SimulatedChange::None);
        assert!(unchanged.red <= 0.06 && unchanged.runs < 12.0, "{unchanged:?}");
        let broken = repeats(&solid, SimulatedChange::OneBroken);
        assert!(broken.red >= 0.99 && broken.undecided <= 0.01 && broken.runs < unchanged.runs, "{broken:?}");
        let young = repeats(&short, SimulatedChange::None);
        assert!(young.red <= 0.06 && young.runs > unchanged.runs, "{young:?}");
        let again = || simulation.red(&solid, SimulatedChange::None).to_bits();
        assert_eq!(again(), again(), "a seed makes it reproducible");
    }
}
