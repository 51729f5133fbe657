//! The lower tail of a distribution over consecutive integers, from the ratios of neighbouring weights.
//!
//! Starting at the mode, all weights are at most 1, so nothing overflows. Every term is positive, so nothing cancels:
//! even a tail of 1e-200 has all its digits. No factorial is needed, since the weights are divided by their sum.

use std::ops::RangeInclusive;

/// The probability of `at` or less. `ratio(k)` is the weight of `k + 1` divided by that of `k`. Takes time in
/// proportion to the standard deviation, not to the width of the support: weights that underflow are not visited.
pub(crate) fn lower_tail(support: &RangeInclusive<u64>, mode: u64, at: u64, ratio: impl Fn(u64) -> f64) -> f64 {
    if at >= *support.end() {
        return 1.0;
    }
    let (mut lower, mut upper) = (0.0, 0.0);
    let mut add = |value: u64, weight: f64| *if value <= at { &mut lower } else { &mut upper } += weight;
    add(mode, 1.0);
    let mut weight = 1.0;
    for value in mode..*support.end() {
        weight *= ratio(value);
        if weight < f64::MIN_POSITIVE {
            break;
        }
        add(value + 1, weight);
    }
    weight = 1.0;
    for value in (*support.start()..mode).rev() {
        weight /= ratio(value);
        if weight < f64::MIN_POSITIVE {
            break;
        }
        add(value, weight);
    }
    lower / (lower + upper)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counts::real;

    /// Of `runs` throws of a fair coin, at most `at` heads.
    fn heads(runs: u64, at: u64) -> f64 {
        lower_tail(&(0..=runs), runs / 2, at, |value| real(runs - value) / real(value + 1))
    }

    #[test]
    fn sums_the_weights_up_to_a_value() {
        assert!((heads(4, 1) - 5.0 / 16.0).abs() < 1e-15);
        assert!((heads(4, 3) - 15.0 / 16.0).abs() < 1e-15);
        assert!((heads(4, 4) - 1.0).abs() < 1e-15);
    }

    #[test]
    fn small_tails_keep_their_digits() {
        let expected = 0.5_f64.powi(700);
        assert!((heads(700, 0) / expected - 1.0).abs() < 1e-12);
    }
}
