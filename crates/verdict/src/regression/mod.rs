//! Gates that know noise: whether a run is worse than its history by more than chance explains.
//!
//! Agents that run live are random, so a single failure says little. These gates compare the runs of each case with its
//! history in the baseline by statistical tests, and say so if there are too few runs to tell. Cases that are repeated
//! until they are decided are judged by e-values instead of p-values.

mod decision;
mod evidence;
mod measures;
mod pass_rates;
mod repeats;
mod simulation;
#[cfg(test)]
mod tests;

pub use evidence::{CaseTrend, NoiseReport, Trend, Undecided};
pub(crate) use measures::{no_costlier, no_slower};
pub(crate) use pass_rates::no_regression;
pub use repeats::RepeatRule;
pub use simulation::{SimulatedChange, SimulatedRepeats, Simulation};
