//! The e-BH procedure: Benjamini-Hochberg for e-values, which stay valid whenever the runs are stopped.
//!
//! Wang and Ramdas, "False discovery rate control with e-values", 2022. E-values with a mean of at most 1 may depend on
//! each other in any way. Those of [`SequentialEvidence`](crate::SequentialEvidence) have a bounded tail instead: `1 / e` is a p-value,
//! this procedure is Benjamini-Hochberg over these, and it keeps its level if the cases are independent.

use crate::counts::real;

/// Which hypotheses are rejected at this level, in the order of the input: the `k` largest e-values, for the largest
/// `k` for which all of them are at least `number of e-values / (level * k)`. Equal e-values are treated alike. An
/// e-value that is not a number counts as 0.
pub fn e_benjamini_hochberg(e_values: &[f64], level: f64) -> Vec<bool> {
    let mut sorted: Vec<f64> = e_values.iter().map(|e| e.max(0.0)).collect();
    sorted.sort_by(|one, other| other.total_cmp(one));
    let all = real(e_values.len() as u64);
    let least = (1_u64..).zip(&sorted).filter(|&(rank, e)| e * real(rank) * level >= all).map(|(_, e)| *e).last();
    e_values.iter().map(|&e| least.is_some_and(|least| e >= least)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_hypothesis_needs_the_inverse_of_the_level() {
        assert_eq!(e_benjamini_hochberg(&[20.0], 0.05), [true]);
        assert_eq!(e_benjamini_hochberg(&[19.9], 0.05), [false]);
        assert_eq!(e_benjamini_hochberg(&[], 0.05), [false; 0]);
    }

    #[test]
    fn more_hypotheses_need_more_evidence() {
        assert_eq!(e_benjamini_hochberg(&[1.0, 39.0, 0.0], 0.05), [false, false, false]);
        assert_eq!(e_benjamini_hochberg(&[1.0, 61.0, 0.0], 0.05), [false, true, false]);
    }

    #[test]
    fn rejections_make_further_ones_easier() {
        assert_eq!(e_benjamini_hochberg(&[30.0, 1.0, 30.0], 0.05), [true, false, true]);
        assert_eq!(e_benjamini_hochberg(&[21.0, 21.0, 21.0], 0.05), [true, true, true]);
    }

    #[test]
    fn infinite_evidence_is_rejected_and_no_number_is_not() {
        assert_eq!(e_benjamini_hochberg(&[f64::INFINITY, f64::NAN], 0.05), [true, false]);
    }
}
