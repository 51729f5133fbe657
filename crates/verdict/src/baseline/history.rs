//! The results of recent runs, oldest first.

use std::collections::BTreeSet;

use crate::{CaseHistory, CaseSample, PastRun};

/// The number of runs that a baseline keeps by default.
pub const KEPT_RUNS: usize = 50;

/// The recent runs of a baseline.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct History {
    runs: Vec<PastRun>,
}

impl History {
    /// A history of these runs. Runs with the same id count once.
    pub fn new(runs: impl IntoIterator<Item = PastRun>) -> Self {
        let mut seen = BTreeSet::new();
        let mut runs: Vec<PastRun> = runs.into_iter().filter(|run| seen.insert(run.id.clone())).collect();
        runs.sort_by(|one, other| (&one.at, &one.id).cmp(&(&other.at, &other.id)));
        Self { runs }
    }

    /// The runs, oldest first.
    pub fn runs(&self) -> &[PastRun] {
        &self.runs
    }

    /// The newest run.
    pub fn newest(&self) -> Option<&PastRun> {
        self.runs.last()
    }

    /// Whether it contains a run.
    pub fn contains(&self, id: &str) -> bool {
        self.runs.iter().any(|run| run.id == id)
    }

    /// The history with one more run, restricted to the newest `keep` runs.
    #[must_use]
    pub fn with(&self, run: PastRun, keep: usize) -> Self {
        let mut all = Self::new(self.runs.iter().cloned().chain([run]));
        all.runs.drain(..all.runs.len().saturating_sub(keep.max(1)));
        all
    }

    /// The results of a case in each run that has it, oldest first. Results of another mode say nothing about this one:
    /// a replayed world does not vary.
    pub fn samples<'h>(&'h self, case: &'h str, mode: &'h str) -> impl Iterator<Item = CaseSample> + 'h {
        let same = move |run: &&PastRun| run.mode.is_empty() || run.mode == mode;
        self.runs.iter().filter(same).filter_map(move |run| run.cases.get(case).copied())
    }

    /// The sum of the results of a case in all runs.
    pub fn total(&self, case: &str) -> CaseHistory {
        let samples = self.runs.iter().filter_map(|run| run.cases.get(case));
        samples.map(|sample| CaseHistory::from(*sample)).fold(CaseHistory::default(), CaseHistory::plus)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(at: &str, mode: &str, passes: u64) -> PastRun {
        let sample = CaseSample { passes, runs: 2, ..CaseSample::default() };
        let cases = [("a".to_owned(), sample)].into();
        PastRun { at: at.into(), mode: mode.into(), cases, ..PastRun::default() }.named("r")
    }

    #[test]
    fn same_run_counts_once() {
        let history = History::default().with(run("1", "live", 2), 50);
        assert_eq!(history.with(run("1", "live", 2), 50), history);
        assert_eq!(history.with(run("2", "live", 2), 50).total("a"), CaseHistory { runs: 4, passes: 4 });
    }

    #[test]
    fn oldest_runs_fall_out() {
        let all = ["3", "1", "2"].into_iter().fold(History::default(), |all, at| all.with(run(at, "live", 1), 2));
        let kept: Vec<&str> = all.runs().iter().map(|run| run.at.as_str()).collect();
        assert_eq!(kept, ["2", "3"]);
        assert_eq!(all.with(run("4", "live", 1), 0).runs().len(), 1, "at least the new run stays");
    }

    #[test]
    fn modes_are_kept_apart() {
        let history = History::new([run("1", "live", 0), run("2", "replay", 2)]);
        let passes: Vec<u64> = history.samples("a", "replay").map(|sample| sample.passes).collect();
        assert_eq!(passes, [2]);
    }
}
