//! The ranks of values, for tests that only ask which values are greater.

use crate::counts::real;

/// The ranks of some values.
pub(crate) struct Ranks {
    /// The rank of each value, in the order of the input, from 1. Equal values share the mean of their ranks.
    pub(crate) of: Vec<f64>,
    /// The sum of `t^3 - t` over groups of `t` equal values: 0 if all values differ.
    pub(crate) ties: f64,
}

impl Ranks {
    /// Ranks the values of several samples together. `None` if one of them is not a number.
    pub(crate) fn new<'a>(values: impl IntoIterator<Item = &'a f64>) -> Option<Self> {
        let values: Vec<f64> = values.into_iter().copied().collect();
        if values.iter().any(|value| value.is_nan()) {
            return None;
        }
        let mut order: Vec<usize> = (0..values.len()).collect();
        order.sort_by(|&one, &other| values[one].total_cmp(&values[other]));
        let mut ranks = Self { of: vec![0.0; values.len()], ties: 0.0 };
        let mut before = 0_u64;
        // Compared as numbers: the total order would tell a negative zero from a positive one.
        #[expect(clippy::float_cmp, reason = "ties are values that are exactly equal")]
        for group in order.chunk_by(|&one, &other| values[one] == values[other]) {
            let equal = group.len() as u64;
            for &index in group {
                ranks.of[index] = real(before) + f64::midpoint(1.0, real(equal));
            }
            ranks.ties += real(equal).powi(3) - real(equal);
            before += equal;
        }
        Some(ranks)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_values_share_the_mean_rank() {
        let ranks = Ranks::new(&[3.0, 1.0, 3.0, 0.0, -0.0]).unwrap();
        assert_eq!(ranks.of, [4.5, 3.0, 4.5, 1.5, 1.5]);
        assert!((ranks.ties - 12.0).abs() < 1e-15);
    }

    #[test]
    fn refuses_what_is_not_a_number() {
        assert!(Ranks::new(&[1.0, f64::NAN]).is_none());
        assert_eq!(Ranks::new(&[f64::INFINITY, 1.0]).unwrap().of, [2.0, 1.0]);
    }
}
