//! What the gate `no_regression` would do to a suite: how often it would be red although nothing changed, and how often
//! it would notice a change. Simulated with the suite's own history.

use agentci_statistics::{Counts, Random};
use serde::Serialize;

use super::decision::{ComparedCase, RateDecision};
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
    /// The number of simulated runs of the suite.
    pub rounds: u32,
    /// The seed of all random choices.
    pub seed: u64,
}

impl Simulation {
    /// The share of simulated runs that the gate would fail.
    pub fn red(&self, histories: &[CaseHistory], change: SimulatedChange) -> f64 {
        let mut random = Random::new(self.seed);
        let mut cases: Vec<ComparedCase<'_>> = histories.iter().map(|history| simulated(*history)).collect();
        let usual = usual_rate(histories);
        let red = (0..self.rounds).filter(|_| {
            let broken = random.next_u64() % (cases.len().max(1) as u64);
            for (at, case) in cases.iter_mut().enumerate() {
                // The true rate is not known: any rate that explains the history may be it.
                let rate = likely_rate(case.history, usual, &mut random);
                let rate = match change {
                    SimulatedChange::OneBroken if at as u64 == broken => 0.0,
                    SimulatedChange::SomeDrop { share, drop } if random.next_f64() < share => rate - drop,
                    SimulatedChange::AllDrop { drop } => rate - drop,
                    _ => rate,
                };
                let passes = random.binomial(self.runs, rate.clamp(0.0, 1.0));
                case.current = Counts { passes, runs: self.runs };
            }
            RateDecision::of(&cases, self.alpha).is_regressed()
        });
        #[expect(clippy::cast_precision_loss, reason = "there are few rounds")]
        let share = red.count() as f64 / f64::from(self.rounds.max(1));
        share
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

fn simulated(history: CaseHistory) -> ComparedCase<'static> {
    let history = Counts { passes: history.passes, runs: history.runs };
    ComparedCase { id: "", history, current: Counts::default(), deterministic: false }
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
        let simulation = Simulation { alpha: 0.05, runs: 5, rounds: 300, seed: 1 };
        let solid = vec![CaseHistory { runs: 50, passes: 50 }; 30];
        assert!(simulation.red(&solid, SimulatedChange::None) <= 0.06);
        assert!(simulation.red(&solid, SimulatedChange::OneBroken) >= 0.95);
        assert!(simulation.red(&solid, SimulatedChange::AllDrop { drop: 0.3 }) >= 0.95);
        let short = vec![CaseHistory { runs: 2, passes: 2 }; 30];
        assert!(simulation.red(&short, SimulatedChange::OneBroken) < 0.3, "a short history shows little");
        let again = || simulation.red(&solid, SimulatedChange::None).to_bits();
        assert_eq!(again(), again(), "a seed makes it reproducible");
    }
}
