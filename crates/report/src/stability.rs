//! Describes the stability of cases.
//!
//! ```text
//! unstable: 2 of 3 runs passed (66.7 %), mean 10 ms, min 10 ms, max 11 ms, deviation 0.5 ms, same output in 66.7 %
//! 2 cases in 6 runs: 1 stable, 1 not; 83.3 % passed on average
//! ```

use agentci_verdict::{Stability, StabilitySummary};

use crate::{count_of, duration, duration_of, percent};

/// The stability of a case.
pub(crate) fn words(stability: &Stability) -> String {
    let class = stability.stability_class.words();
    format!(
        "{class}: {}, mean {}, min {}, max {}, deviation {}{}",
        passed(stability),
        duration_of(stability.avg_duration_ms),
        duration(stability.min_duration_ms),
        duration(stability.max_duration_ms),
        deviation(stability),
        stability.identical_outputs.map(|share| format!(", same output in {}", percent(share))).unwrap_or_default(),
    )
}

/// `2 of 3 runs passed (66.7 %)`
pub(crate) fn passed(stability: &Stability) -> String {
    let Stability { passed, runs, pass_rate, .. } = stability;
    format!("{passed} of {} passed ({})", count_of(*runs, "run"), percent(pass_rate / 100.0))
}

/// `0.5 ms`: deviations below a millisecond are shown too.
pub(crate) fn deviation(stability: &Stability) -> String {
    match stability.std_deviation_ms {
        small if small < 100.0 => format!("{small:.1} ms"),
        large => duration_of(large),
    }
}

/// The stability of all cases.
pub(crate) fn summary_words(summary: &StabilitySummary) -> String {
    let cases = summary.stable_cases + summary.unstable_cases;
    format!(
        "{} in {}: {} stable, {} not; {} passed on average",
        count_of(cases, "case"),
        count_of(summary.total_runs, "run"),
        summary.stable_cases,
        summary.unstable_cases,
        percent(summary.overall_pass_rate / 100.0),
    )
}

#[cfg(test)]
mod tests {
    use agentci_verdict::StabilityClass;

    use super::*;

    #[test]
    fn rate_of_an_unstable_case_is_never_100_percent() {
        let mut stability = Stability {
            runs: 2000,
            passed: 1999,
            failed: 1,
            pass_rate: 99.95,
            stable: false,
            stability_class: StabilityClass::MostlyStable,
            avg_duration_ms: 1249.6,
            min_duration_ms: 3,
            max_duration_ms: 61_000,
            std_deviation_ms: 0.46,
            identical_outputs: Some(0.5),
        };
        assert_eq!(
            words(&stability),
            "mostly stable: 1999 of 2000 runs passed (99.95 %), mean 1.3 s, min 3 ms, max 1 min 1 s, deviation 0.5 ms, \
             same output in 50 %"
        );
        stability.identical_outputs = None;
        stability.std_deviation_ms = 1249.6;
        assert!(words(&stability).ends_with("max 1 min 1 s, deviation 1.3 s"));
    }
}
