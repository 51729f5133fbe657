//! The Mann-Whitney U test: are the current times or costs greater? It makes no assumption about their distribution.

use crate::counts::real;
use crate::normal;
use crate::ranks::Ranks;

/// If both samples are larger than this, the normal approximation is used, as in scipy.
const SMALL: usize = 8;
/// The greatest product of the sample sizes for the exact distribution. Below it, every count fits into 128 bits if one
/// sample is small; above it, the larger sample has so many values that the approximation is as good.
const MOST_PAIRS: usize = 1_000_000;

/// The one-sided p-value that current values are greater than those of the history. Exact if there are no ties and one
/// sample is small; otherwise a normal approximation with corrections for ties and continuity. `None` if a sample is
/// empty or has a value that is not a number.
pub fn rank_sum(history: &[f64], current: &[f64]) -> Option<f64> {
    let ranks = Ranks::new(current.iter().chain(history))?;
    let (past_runs, runs) = (history.len(), current.len());
    if past_runs == 0 || runs == 0 {
        return None;
    }
    let (many, few) = (real(past_runs as u64), real(runs as u64));
    // The number of pairs in which the current value is the greater one; ties count half.
    let greater = ranks.of[..runs].iter().sum::<f64>() - few * (few + 1.0) / 2.0;
    let pairs = past_runs.saturating_mul(runs);
    if ranks.ties == 0.0 && past_runs.min(runs) <= SMALL && pairs <= MOST_PAIRS {
        return Some(exact(past_runs.min(runs), past_runs.max(runs), greater));
    }
    let all = many + few;
    let variance = many * few / 12.0 * ((all + 1.0) - ranks.ties / (all * (all - 1.0)));
    let excess = greater - many * few / 2.0 - 0.5;
    Some(if variance > 0.0 { normal::survival(excess / variance.sqrt()) } else { 1.0 })
}

/// The probability of at least `greater` such pairs, if every order of the values is equally likely.
///
/// The number of orders with `u` pairs is the coefficient of `q^u` in the Gaussian binomial coefficient, the product of
/// `(1 - q^(large + i)) / (1 - q^i)` for `i` from 1 to `small`. Intermediate numbers may wrap: all steps are ring
/// operations, and the final coefficients fit.
fn exact(small: usize, large: usize, greater: f64) -> f64 {
    let mut ways = vec![0_u128; small * large + 1];
    ways[0] = 1;
    for i in 1..=small {
        for u in (large + i..ways.len()).rev() {
            ways[u] = ways[u].wrapping_sub(ways[u - large - i]);
        }
        for u in i..ways.len() {
            ways[u] = ways[u].wrapping_add(ways[u - i]);
        }
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "an integer number of pairs")]
    let from = greater.round() as usize;
    #[expect(clippy::cast_precision_loss, reason = "a share does not need the last bits")]
    let sum = |ways: &[u128]| ways.iter().sum::<u128>() as f64;
    sum(&ways[from.min(ways.len())..]) / sum(&ways)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(p: Option<f64>, expected: f64) -> bool {
        (p.unwrap() - expected).abs() < 1e-12
    }

    #[test]
    fn is_exact_for_small_samples() {
        // Of the 10 ways to choose which 2 of 5 ranks are current, one has the two greatest.
        assert!(close(rank_sum(&[1.0, 2.0, 3.0], &[4.0, 5.0]), 0.1));
        assert!(close(rank_sum(&[1.0, 2.0, 4.0], &[3.0, 5.0]), 0.2));
        assert!(close(rank_sum(&[3.0, 4.0, 5.0], &[1.0, 2.0]), 1.0));
    }

    #[test]
    fn is_exact_if_one_sample_is_small() {
        let history: Vec<f64> = (0..100_000).map(f64::from).collect();
        let current: Vec<f64> = (0..8).map(|value| f64::from(value) + 1e6).collect();
        let ways = (1..=8).fold(1.0, |ways, i| ways * (100_000.0 + f64::from(i)) / f64::from(i));
        assert!((rank_sum(&history, &current).unwrap() * ways - 1.0).abs() < 1e-12);
    }

    #[test]
    fn agrees_with_scipy_for_ties_and_large_samples() {
        assert!(close(rank_sum(&[1.0, 2.0, 2.0, 3.0], &[2.0, 3.0, 4.0]), 0.133_189_961_671_241_25));
        let history: Vec<f64> = (0..20).map(f64::from).collect();
        let current: Vec<f64> = (0..10).map(|value| f64::from(value) * 2.0 + 3.5).collect();
        assert!(close(rank_sum(&history, &current), 0.113_170_396_713_074_94));
    }

    #[test]
    fn equal_values_are_not_significant() {
        assert!(close(rank_sum(&[2.0; 5], &[2.0; 3]), 1.0));
    }

    #[test]
    fn refuses_empty_samples_and_what_is_not_a_number() {
        assert_eq!(rank_sum(&[], &[1.0]), None);
        assert_eq!(rank_sum(&[1.0], &[]), None);
        assert_eq!(rank_sum(&[1.0, f64::NAN], &[1.0]), None);
    }
}
