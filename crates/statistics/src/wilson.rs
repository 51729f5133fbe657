//! The Wilson score interval for a pass rate.

use crate::counts::real;
use crate::{Counts, normal};

/// The interval that contains the true pass rate with this confidence, such as 0.95; `None` if there are no runs. It stays
/// between 0 and 1, and is useful for few runs and for rates near the ends, where the usual approximation is not.
pub fn wilson(counts: Counts, confidence: f64) -> Option<(f64, f64)> {
    let rate = counts.rate()?;
    let runs = real(counts.runs);
    let z = normal::quantile(f64::midpoint(1.0, confidence));
    let square = z * z;
    let scale = 1.0 + square / runs;
    let middle = (rate + square / (2.0 * runs)) / scale;
    let half = z / scale * (rate * (1.0 - rate) / runs + square / (4.0 * runs * runs)).sqrt();
    // Exact at the ends, where the difference is only rounding.
    let lower = if counts.passes == 0 { 0.0 } else { (middle - half).max(0.0) };
    let upper = if counts.failures() == 0 { 1.0 } else { (middle + half).min(1.0) };
    Some((lower, upper))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_statsmodels() {
        // statsmodels.stats.proportion.proportion_confint(passes, runs, method="wilson")
        let known = [
            (0, 10, 0.0, 0.277_532_799_862_889_26),
            (8, 10, 0.490_162_471_536_641_83, 0.943_317_848_545_624_7),
            (10, 10, 0.722_467_200_137_110_6, 1.0),
            (1, 1, 0.206_549_314_377_237_4, 1.0),
            (499, 500, 0.988_759_293_294_853_2, 0.999_646_863_605_440_7),
        ];
        for (passes, runs, lower, upper) in known {
            let (low, high) = wilson(Counts { passes, runs }, 0.95).unwrap();
            assert!((low - lower).abs() < 1e-12 && (high - upper).abs() < 1e-12, "{passes} of {runs}: {low} to {high}");
        }
    }

    #[test]
    fn no_runs_have_no_interval() {
        assert_eq!(wilson(Counts::default(), 0.95), None);
    }

    #[test]
    fn contains_the_rate_and_shrinks_with_more_runs() {
        for passes in 0..=20 {
            let (low, high) = wilson(Counts { passes, runs: 20 }, 0.95).unwrap();
            let (lower, higher) = wilson(Counts { passes: passes * 10, runs: 200 }, 0.95).unwrap();
            let rate = real(passes) / 20.0;
            assert!(low <= rate && rate <= high && 0.0 <= low && high <= 1.0);
            assert!(higher - lower < high - low);
        }
    }
}
