//! The van Elteren test: are the current times or costs of a suite greater, over cases with different levels?

use crate::counts::real;
use crate::normal;
use crate::ranks::Ranks;

/// The one-sided p-value that current values are greater, from the history and the current values of each case: the
/// counterpart of [`mantel_haenszel_lower`](crate::mantel_haenszel_lower) for times and costs.
///
/// Adds up the rank sums of the cases, each divided by its number of values plus one, which weights cases best if all
/// have the same effect. The variance is corrected for ties; there is no continuity correction. Cases with an empty
/// sample, or with a value that is not a number, are ignored. `None` if no case is informative.
pub fn stratified_rank_sum<S: AsRef<[f64]>>(strata: &[(S, S)]) -> Option<f64> {
    let (mut excess, mut variance) = (0.0, 0.0);
    for (history, current) in strata {
        let (history, current) = (history.as_ref(), current.as_ref());
        let Some(ranks) = Ranks::new(current.iter().chain(history)) else { continue };
        if history.is_empty() || current.is_empty() {
            continue;
        }
        let (many, few) = (real(history.len() as u64), real(current.len() as u64));
        let all = many + few;
        let sum: f64 = ranks.of[..current.len()].iter().sum();
        excess += sum / (all + 1.0) - few / 2.0;
        let spread = (all.powi(3) - all - ranks.ties) / 12.0;
        variance += many * few * spread / (all * (all - 1.0) * (all + 1.0) * (all + 1.0));
    }
    (variance > 0.0).then(|| normal::survival(excess / variance.sqrt()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_small_increases_are_significant_together() {
        let one = (vec![1.0, 2.0, 3.0, 4.0, 5.0], vec![3.5, 5.5]);
        let alone = stratified_rank_sum(std::slice::from_ref(&one)).unwrap();
        let together = stratified_rank_sum(&vec![one; 10]).unwrap();
        assert!(alone > 0.1 && together < 0.001, "{alone} {together}");
    }

    #[test]
    fn levels_of_cases_do_not_matter() {
        let plain = [(vec![1.0, 2.0, 3.0], vec![2.5]), (vec![4.0, 5.0], vec![4.5, 6.0])];
        let shifted = [(vec![1e6 + 1.0, 1e6 + 2.0, 1e6 + 3.0], vec![1e6 + 2.5]), plain[1].clone()];
        assert_eq!(stratified_rank_sum(&plain), stratified_rank_sum(&shifted));
    }

    #[test]
    fn the_same_values_are_as_likely_as_not() {
        let same = (vec![1.0, 2.0, 3.0], vec![1.0, 2.0, 3.0]);
        assert!((stratified_rank_sum(&[same]).unwrap() - 0.5).abs() < 1e-15);
    }

    #[test]
    fn uninformative_cases_do_not_count() {
        let useful = (vec![1.0, 2.0, 3.0], vec![2.5, 4.0]);
        let useless =
            [(vec![2.0, 2.0], vec![2.0]), (vec![], vec![1.0]), (vec![1.0], vec![]), (vec![f64::NAN], vec![1.0])];
        assert_eq!(stratified_rank_sum(&useless), None);
        let all: Vec<_> = useless.into_iter().chain([useful.clone()]).collect();
        assert_eq!(stratified_rank_sum(&all), stratified_rank_sum(&[useful]));
    }
}
