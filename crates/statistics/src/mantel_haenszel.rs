//! The Cochran-Mantel-Haenszel test: did a suite get worse, over cases with different pass rates?

use crate::Counts;
use crate::counts::real;
use crate::normal;

/// The continuity correction: passes come in whole numbers.
const CORRECTION: f64 = 0.5;

/// The one-sided p-value that the current pass rates are lower, from the history and the current runs of each case.
///
/// Adds up, over the cases, how many passes the current runs are short of their share. A small drop in many cases is
/// significant even if it is in none of them. `None` if no case is informative: each always passed, always failed, or
/// has no history or no current runs.
pub fn mantel_haenszel_lower(strata: &[(Counts, Counts)]) -> Option<f64> {
    let (mut missing, mut variance) = (0.0, 0.0);
    for (history, current) in strata {
        let passes = real(history.passes + current.passes);
        let failures = real(history.failures() + current.failures());
        let past_runs = real(history.passes + history.failures());
        let runs = real(current.passes + current.failures());
        let all = past_runs + runs;
        if past_runs > 0.0 && runs > 0.0 {
            missing += runs * passes / all - real(current.passes);
            variance += runs / all * (past_runs / all) * passes * failures / (all - 1.0);
        }
    }
    if variance <= 0.0 {
        return None;
    }
    // The correction moves the sum towards zero and never past it.
    let corrected = (missing.abs() - CORRECTION).max(0.0).copysign(missing);
    Some(normal::survival(corrected / variance.sqrt()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn p(strata: &[(u64, u64, u64, u64)]) -> Option<f64> {
        let counts = |passes, runs| Counts { passes, runs };
        let strata: Vec<_> = strata.iter().map(|&(b, n, c, m)| (counts(b, n), counts(c, m))).collect();
        mantel_haenszel_lower(&strata)
    }

    #[test]
    fn agrees_with_statsmodels() {
        let strata = [(45, 50, 3, 5), (30, 50, 2, 5), (50, 50, 4, 5), (10, 20, 6, 10)];
        assert!((p(&strata).unwrap() - 0.138_621_531_630_78).abs() < 1e-12);
    }

    #[test]
    fn many_small_drops_are_significant_together() {
        let one = p(&[(48, 50, 4, 5)]).unwrap();
        let many = p(&[(48, 50, 4, 5); 20]).unwrap();
        assert!(one > 0.05 && many < 0.001, "{one} {many}");
    }

    #[test]
    fn the_correction_does_not_overshoot() {
        assert_eq!(p(&[(9, 10, 9, 10)]), Some(0.5));
        assert_eq!(p(&[(49, 50, 5, 5)]), Some(0.5));
    }

    #[test]
    fn uninformative_cases_do_not_count() {
        assert_eq!(p(&[]), None);
        assert_eq!(p(&[(50, 50, 5, 5), (0, 50, 0, 5), (0, 0, 3, 5), (3, 5, 0, 0), (1, 1, 0, 0)]), None);
        assert_eq!(p(&[(45, 50, 3, 5), (50, 50, 5, 5)]), p(&[(45, 50, 3, 5)]));
    }
}
