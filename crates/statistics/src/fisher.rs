//! Fisher's exact test: did one case get worse?

use crate::Counts;
use crate::counts::real;
use crate::tail::lower_tail;

/// The one-sided p-value that the current pass rate is lower than the history's, by Fisher's exact test: if passes and
/// failures were dealt out at random to history and current runs, how often would the current runs get so few passes?
///
/// 1 if there is nothing to compare: no runs, or only passes, or only failures.
pub fn fisher_lower(history: Counts, current: Counts) -> f64 {
    let passes = history.passes + current.passes;
    let past_runs = history.passes + history.failures();
    let runs = current.passes + current.failures();
    let fewest = passes.saturating_sub(past_runs);
    let most = passes.min(runs);
    let mode = u128::from(passes + 1) * u128::from(runs + 1) / u128::from(past_runs + runs + 2);
    let mode = u64::try_from(mode).unwrap_or(most).clamp(fewest, most);
    lower_tail(&(fewest..=most), mode, current.passes, |value| {
        let from_current = real(runs - value) / real(value + 1);
        from_current * real(passes - value) / real(past_runs + value + 1 - passes)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn p(history: (u64, u64), current: (u64, u64)) -> f64 {
        let counts = |(passes, runs)| Counts { passes, runs };
        fisher_lower(counts(history), counts(current))
    }

    #[test]
    fn agrees_with_the_definition() {
        // All ways to choose which 2 of 5 runs are current, by how many of the 3 passes they get.
        assert!((p((3, 3), (0, 2)) - 1.0 / 10.0).abs() < 1e-15);
        assert!((p((2, 3), (1, 2)) - 7.0 / 10.0).abs() < 1e-15);
        assert!((p((1, 3), (2, 2)) - 1.0).abs() < 1e-15);
    }

    #[test]
    fn agrees_with_scipy() {
        assert!((p((45, 50), (2, 5)) - 0.018_363_434_567_652_1).abs() < 1e-14);
        assert!((p((2_970, 3_000), (4_850, 5_000)) / 5.362_538_634_744_263e-10 - 1.0).abs() < 1e-9);
    }

    #[test]
    fn nothing_to_compare_is_not_significant() {
        for (history, current) in
            [((0, 0), (0, 0)), ((0, 0), (0, 5)), ((5, 5), (0, 0)), ((5, 5), (5, 5)), ((0, 5), (0, 5))]
        {
            assert!((p(history, current) - 1.0).abs() < 1e-15, "{history:?} {current:?}");
        }
    }

    #[test]
    fn fewer_passes_are_more_significant() {
        for passes in 0..20 {
            assert!(p((40, 50), (passes, 20)) < p((40, 50), (passes + 1, 20)));
        }
    }

    #[test]
    fn more_passes_than_runs_do_not_panic() {
        assert!(p((7, 5), (9, 3)) <= 1.0);
    }
}
