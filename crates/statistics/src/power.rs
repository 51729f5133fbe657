//! What a number of runs can show: the drop that they would have caught, and how many would be needed.

use crate::counts::real;
use crate::tail::lower_tail;
use crate::{Counts, fisher_lower};

/// The highest pass rate below the history's, in steps of 1 %, that this number of runs would have noticed: with at
/// least the probability `power`, [`fisher_lower`] would have been at most `level`. `None` if not even a rate of 0
/// would be.
pub fn detectable_rate(history: Counts, runs: u64, level: f64, power: f64) -> Option<f64> {
    let significant = |passes: &u64| fisher_lower(history, Counts { passes: *passes, runs }) <= level;
    let most = (0..=runs).take_while(significant).last()?;
    let rate = history.rate()?;
    let rates = (0..100_u32).rev().map(|percent| f64::from(percent) / 100.0);
    rates.filter(|&lower| lower < rate).find(|&lower| binomial_lower(runs, lower, most) >= power)
}

/// The smallest total number of runs, up to `most`, at which the current pass rate would be significant if it
/// continued. Passes are rounded up, so that the promise is not too good. `None` without current runs, or if `most` are
/// not enough.
pub fn runs_to_decide(history: Counts, current: Counts, level: f64, most: u64) -> Option<u64> {
    if current.runs == 0 {
        return None;
    }
    let continued = |runs: u64| {
        let passes = (u128::from(current.passes) * u128::from(runs)).div_ceil(u128::from(current.runs));
        Counts { passes: u64::try_from(passes).unwrap_or(runs), runs }
    };
    (current.runs..=most).find(|&runs| fisher_lower(history, continued(runs)) <= level)
}

/// The probability of at most this many passes.
fn binomial_lower(runs: u64, rate: f64, passes: u64) -> f64 {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "rounded down to a number of runs")]
    let mode = (((real(runs) + 1.0) * rate) as u64).min(runs);
    let odds = rate / (1.0 - rate);
    lower_tail(&(0..=runs), mode, passes, |value| real(runs - value) / real(value + 1) * odds)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HISTORY: Counts = Counts { passes: 50, runs: 50 };

    #[test]
    fn agrees_with_the_binomial_distribution() {
        assert!((binomial_lower(5, 0.0, 0) - 1.0).abs() < 1e-15);
        assert!((binomial_lower(5, 0.2, 0) - 0.8_f64.powi(5)).abs() < 1e-15);
        assert!((binomial_lower(3, 0.5, 1) - 0.5).abs() < 1e-15);
        assert!((binomial_lower(2_000, 0.9, 1_799) - 0.481_179_599_408_964).abs() < 1e-12);
    }

    #[test]
    fn more_runs_notice_smaller_drops() {
        let rates: Vec<_> = [1, 5, 20, 100].map(|runs| detectable_rate(HISTORY, runs, 0.025, 0.8)).into();
        assert!(rates.is_sorted() && rates[3] > Some(0.85), "{rates:?}");
    }

    #[test]
    fn the_next_rate_would_not_be_noticed() {
        let rate = detectable_rate(HISTORY, 5, 0.025, 0.8).unwrap();
        // 3 of 5 passes are significant, 4 are not.
        assert!(fisher_lower(HISTORY, Counts { passes: 3, runs: 5 }) < 0.025);
        assert!(fisher_lower(HISTORY, Counts { passes: 4, runs: 5 }) > 0.025);
        assert!(binomial_lower(5, rate, 3) >= 0.8 && binomial_lower(5, rate + 0.01, 3) < 0.8, "{rate}");
    }

    #[test]
    fn too_few_runs_notice_nothing() {
        assert_eq!(detectable_rate(Counts { passes: 3, runs: 3 }, 1, 0.025, 0.8), None);
        assert_eq!(detectable_rate(HISTORY, 0, 0.025, 0.8), None);
        assert_eq!(detectable_rate(Counts { passes: 0, runs: 50 }, 20, 0.025, 0.8), None);
        assert_eq!(detectable_rate(Counts::default(), 20, 0.025, 0.8), None);
    }

    #[test]
    fn tells_how_many_runs_would_decide() {
        let needed = |passes, runs| runs_to_decide(HISTORY, Counts { passes, runs }, 0.001, 500);
        assert_eq!(needed(0, 2), Some(2));
        assert_eq!(needed(0, 1), Some(2));
        let runs = needed(4, 5).unwrap();
        let share = |runs: u64| Counts { passes: (runs * 4).div_ceil(5), runs };
        assert!(
            fisher_lower(HISTORY, share(runs)) <= 0.001 && fisher_lower(HISTORY, share(runs - 1)) > 0.001,
            "{runs}"
        );
    }

    #[test]
    fn no_number_of_runs_decides_without_a_drop() {
        assert_eq!(runs_to_decide(HISTORY, Counts { passes: 5, runs: 5 }, 0.05, 500), None);
        assert_eq!(runs_to_decide(HISTORY, Counts::default(), 0.05, 500), None);
    }
}
