//! How often a case passed.

/// Passes among the runs of a case.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// The number of runs that passed, at most `runs`.
    pub passes: u64,
    /// The number of runs.
    pub runs: u64,
}

impl Counts {
    /// The number of runs that failed.
    pub fn failures(self) -> u64 {
        self.runs.saturating_sub(self.passes)
    }

    /// The share of runs that passed; `None` if there are no runs.
    pub fn rate(self) -> Option<f64> {
        (self.runs > 0).then(|| real(self.passes) / real(self.runs))
    }

    /// The counts with one more run.
    #[must_use]
    pub fn with(self, passed: bool) -> Self {
        Self { passes: self.passes + u64::from(passed), runs: self.runs + 1 }
    }
}

/// A count as a number to calculate with.
#[expect(clippy::cast_precision_loss, reason = "counts of runs stay far below 2^53")]
pub(crate) fn real(count: u64) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rate_of_no_runs_is_unknown() {
        assert_eq!(Counts::default().rate(), None);
        assert_eq!(Counts { passes: 3, runs: 4 }.rate(), Some(0.75));
    }

    #[test]
    fn counts_one_more_run() {
        let counts = Counts::default().with(true).with(false);
        assert_eq!((counts, counts.failures()), (Counts { passes: 1, runs: 2 }, 1));
    }
}
