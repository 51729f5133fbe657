//! The Benjamini-Hochberg procedure: many cases are tested, and some look bad by chance.

use crate::counts::real;

/// P-values adjusted for their number, in the order of the input. Calling those up to `q` significant keeps the
/// expected share of false ones among them at or below `q`. A p-value that is not a number counts as 1.
pub fn benjamini_hochberg(p_values: &[f64]) -> Vec<f64> {
    let p_values: Vec<f64> = p_values.iter().map(|p| p.min(1.0)).collect();
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|&one, &other| p_values[one].total_cmp(&p_values[other]));
    let all = real(order.len() as u64);
    let mut adjusted = vec![1.0; order.len()];
    let mut least: f64 = 1.0;
    for (position, &index) in order.iter().enumerate().rev() {
        least = least.min(p_values[index] * all / real(position as u64 + 1));
        adjusted[index] = least;
    }
    adjusted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_statsmodels() {
        let adjusted = benjamini_hochberg(&[0.01, 0.04, 0.03, 0.005]);
        let expected = [0.02, 0.04, 0.04, 0.02];
        assert!(adjusted.iter().zip(expected).all(|(one, other)| (one - other).abs() < 1e-15), "{adjusted:?}");
    }

    #[test]
    fn one_p_value_stays_as_it_is() {
        assert_eq!(benjamini_hochberg(&[0.3]), [0.3]);
        assert_eq!(benjamini_hochberg(&[]), [0.0; 0]);
    }

    #[test]
    fn what_is_not_a_number_is_not_significant() {
        assert_eq!(benjamini_hochberg(&[f64::NAN, 0.01]), [1.0, 0.02]);
        assert_eq!(benjamini_hochberg(&[-f64::NAN, 0.01]), [1.0, 0.02]);
    }
}
