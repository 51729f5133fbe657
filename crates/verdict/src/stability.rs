//! The stability of cases that are run several times.
//!
//! ```text
//! runs  passed  pass rate  class            mean   min    max    deviation
//!    5       4  80 %       mostly_stable   24 ms  20 ms  31 ms  4.2 ms
//! ```
//!
//! Stability is computed only here; every report shows these values.

use serde::{Deserialize, Serialize};

use crate::aggregate::float;
use crate::{CaseRow, CaseStatus, Rows};

/// How reliably a case passes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum StabilityClass {
    /// Every run passed.
    Stable,
    /// At least 80 % of the runs passed.
    MostlyStable,
    /// At least half of the runs passed.
    Unstable,
    /// Fewer than half of the runs passed.
    HighlyUnstable,
}

impl StabilityClass {
    /// The class of a case with these results. Nothing is rounded: 799 of 1000 is not 80 %.
    pub fn of(passed: usize, runs: usize) -> Self {
        let (passed, runs) = (passed as u128, runs as u128);
        if passed == runs {
            StabilityClass::Stable
        } else if passed * 100 >= runs * 80 {
            StabilityClass::MostlyStable
        } else if passed * 100 >= runs * 50 {
            StabilityClass::Unstable
        } else {
            StabilityClass::HighlyUnstable
        }
    }

    /// Its name in files.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// Its name in reports.
    pub fn words(self) -> String {
        self.name().replace('_', " ")
    }
}

/// The results of all runs of a case.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Stability {
    /// The number of finished runs.
    pub runs: usize,
    /// The number of runs that passed.
    pub passed: usize,
    /// The number of other runs: failures, errors and timeouts.
    pub failed: usize,
    /// The share of passed runs, in percent.
    pub pass_rate: f64,
    /// Whether every run passed.
    pub stable: bool,
    /// How reliably it passes.
    pub stability_class: StabilityClass,
    /// The mean wall time, in milliseconds.
    pub avg_duration_ms: f64,
    /// The minimum wall time, in milliseconds.
    pub min_duration_ms: u64,
    /// The maximum wall time, in milliseconds.
    pub max_duration_ms: u64,
    /// The population standard deviation of the wall time, in milliseconds.
    pub std_deviation_ms: f64,
    /// The share of runs with the most frequent output, from 0 to 1; a run without an output counts as different from
    /// all others. Absent if no run had an output, or it was not recorded.
    pub identical_outputs: Option<f64>,
}

impl Stability {
    /// The stability of a case, unless it was skipped.
    pub fn of(row: &CaseRow) -> Option<Self> {
        let runs = row.attempts.len();
        if runs == 0 || row.status() == CaseStatus::Skipped {
            return None;
        }
        let passed = row.attempts.iter().filter(|end| end.status == CaseStatus::Pass).count();
        let times = || row.attempts.iter().map(|end| end.wall_ms);
        let stability_class = StabilityClass::of(passed, runs);
        let (avg_duration_ms, std_deviation_ms) = mean_and_deviation(times());
        Some(Self {
            runs,
            passed,
            failed: runs - passed,
            pass_rate: 100.0 * float(passed as u64) / float(runs as u64),
            stable: stability_class == StabilityClass::Stable,
            stability_class,
            avg_duration_ms,
            min_duration_ms: times().min().expect("there are runs"),
            max_duration_ms: times().max().expect("there are runs"),
            std_deviation_ms,
            identical_outputs: identical(row),
        })
    }

    /// The stability of a case that is configured to run more than once: a single run says nothing about stability.
    pub fn of_several(row: &CaseRow) -> Option<Self> {
        if row.repeated() { Self::of(row) } else { None }
    }
}

/// The results of all runs of all cases.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct StabilitySummary {
    /// The configured number of runs, if it is the same for all cases.
    pub runs_per_case: Option<u32>,
    /// The total number of runs.
    pub total_runs: usize,
    /// The mean pass rate of the cases, in percent.
    pub overall_pass_rate: f64,
    /// The number of cases whose runs all passed.
    pub stable_cases: usize,
    /// The number of other cases that were run.
    pub unstable_cases: usize,
}

impl StabilitySummary {
    /// The stability of all cases that were run.
    pub fn of(rows: &Rows) -> Self {
        Self::of_rows(rows.iter(), 0)
    }

    /// The stability of some cases and of `passed_once` others, each of which is run once and passed.
    pub fn of_rows<'r>(rows: impl Iterator<Item = &'r CaseRow>, passed_once: usize) -> Self {
        let mut summary = Self::default();
        let mut rates = 0.0;
        let mut planned = None;
        let mut alike = true;
        for row in rows {
            let Some(stability) = Stability::of(row) else { continue };
            summary.total_runs += stability.runs;
            summary.stable_cases += usize::from(stability.stable);
            summary.unstable_cases += usize::from(!stability.stable);
            rates += stability.pass_rate;
            alike &= *planned.get_or_insert(row.runs()) == row.runs();
        }
        if passed_once > 0 {
            summary.total_runs += passed_once;
            summary.stable_cases += passed_once;
            rates += 100.0 * float(passed_once as u64);
            alike &= *planned.get_or_insert(1) == 1;
        }
        let cases = summary.stable_cases + summary.unstable_cases;
        if cases > 0 {
            summary.overall_pass_rate = rates / float(cases as u64);
        }
        summary.runs_per_case = planned.filter(|_| alike);
        summary
    }

    /// The stability of all cases, if any is configured to run more than once.
    pub fn of_several(rows: &Rows) -> Option<Self> {
        rows.iter().any(CaseRow::repeated).then(|| Self::of(rows))
    }
}

/// The mean and the population standard deviation.
fn mean_and_deviation(values: impl Iterator<Item = u64> + Clone) -> (f64, f64) {
    let count = float(values.clone().count() as u64);
    let mean = values.clone().map(float).sum::<f64>() / count;
    let variance = values.map(|value| (float(value) - mean).powi(2)).sum::<f64>() / count;
    (mean, variance.sqrt())
}

/// The share of the most frequent output.
fn identical(row: &CaseRow) -> Option<f64> {
    let mut outputs: Vec<&str> = row.attempts.iter().filter_map(|end| end.output_hash.as_deref()).collect();
    outputs.sort_unstable();
    let most = outputs.chunk_by(|one, other| one == other).map(<[&str]>::len).max()?;
    Some(float(most as u64) / float(row.attempts.len() as u64))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::*;

    use super::*;
    use crate::{Body, CaseEnd, Cause, RunEvent};

    fn end(index: usize, runs: usize, status: CaseStatus, wall_ms: u64, output: &str) -> CaseEnd {
        CaseEnd {
            index,
            runs: u32::try_from(runs).unwrap(),
            status,
            wall_ms,
            output_hash: Some(output.into()).filter(|_| !output.is_empty()),
            ..CaseEnd::default()
        }
    }

    fn row(attempts: &[(CaseStatus, u64, &str)]) -> CaseRow {
        let ends = attempts.iter().map(|(status, wall_ms, output)| end(0, attempts.len(), *status, *wall_ms, output));
        CaseRow::new(&"t1".into(), ends)
    }

    fn rows(cases: &[&[CaseStatus]]) -> Rows {
        let mut rows = Rows::default();
        for (index, statuses) in cases.iter().enumerate() {
            for (attempt, status) in (1..).zip(*statuses) {
                let body = Body::CaseEnd(Arc::new(end(index, statuses.len(), *status, 10, "")));
                let case_id = Some(format!("t{index}").into());
                rows.add(&RunEvent { suite: "s".into(), case_id, attempt: Some(attempt), timestamp: 0, body });
            }
        }
        rows
    }

    #[test]
    fn computes_statistics_of_five_runs() {
        // Mean (10 + 20 + 30 + 40 + 100) / 5 = 40; squared differences 900 + 400 + 100 + 0 + 3600 = 5000, divided by 5
        // is 1000.
        let stability = Stability::of(&row(&[
            (CaseStatus::Pass, 10, "a"),
            (CaseStatus::Fail, 20, "b"),
            (CaseStatus::Pass, 30, "a"),
            (CaseStatus::Error, 40, ""),
            (CaseStatus::Pass, 100, "a"),
        ]))
        .unwrap();
        assert_eq!((stability.runs, stability.passed, stability.failed), (5, 3, 2));
        assert_eq!((stability.pass_rate, stability.stability_class), (60.0, StabilityClass::Unstable));
        assert_eq!((stability.min_duration_ms, stability.max_duration_ms), (10, 100));
        assert_eq!((stability.avg_duration_ms, stability.std_deviation_ms), (40.0, 1000.0_f64.sqrt()));
        assert_eq!(stability.identical_outputs, Some(0.6));
        assert!(!stability.stable);
    }

    #[test]
    fn pass_rate_is_not_rounded() {
        let stability =
            Stability::of(&row(&[(CaseStatus::Pass, 1, ""), (CaseStatus::Pass, 1, ""), (CaseStatus::Fail, 4, "")]));
        let stability = stability.unwrap();
        assert!((stability.pass_rate - 66.666_666_666).abs() < 1e-6);
        assert_eq!((stability.avg_duration_ms, stability.std_deviation_ms), (2.0, 2.0_f64.sqrt()));
        assert_eq!(stability.identical_outputs, None);
    }

    #[test]
    fn boundaries_belong_to_better_class() {
        let class = |passed, runs| StabilityClass::of(passed, runs).name();
        assert_eq!([class(1, 1), class(1000, 1000)], ["stable", "stable"]);
        assert_eq!([class(999, 1000), class(800, 1000), class(4, 5)], ["mostly_stable"; 3]);
        assert_eq!([class(799, 1000), class(500, 1000), class(1, 2)], ["unstable"; 3]);
        assert_eq!([class(499, 1000), class(1, 3), class(0, 1)], ["highly_unstable"; 3]);
    }

    #[test]
    fn skipped_case_has_no_stability() {
        let skipped = row(&[(CaseStatus::Skipped, 0, "")]);
        assert_eq!(Stability::of(&skipped), None);
        let single = row(&[(CaseStatus::Pass, 7, "a")]);
        assert_eq!(Stability::of_several(&single), None);
        assert_eq!(Stability::of(&single).unwrap().identical_outputs, Some(1.0));
    }

    #[test]
    fn summary_averages_cases() {
        use CaseStatus::{Error, Fail, Pass, Skipped};
        let all = rows(&[&[Pass, Pass, Pass, Pass], &[Pass, Fail, Pass, Error], &[Skipped], &[Pass, Pass, Pass, Fail]]);
        let summary = StabilitySummary::of_several(&all).unwrap();
        assert_eq!(
            summary,
            StabilitySummary {
                runs_per_case: Some(4),
                total_runs: 12,
                overall_pass_rate: 75.0,
                stable_cases: 1,
                unstable_cases: 2,
            }
        );
        assert_eq!(StabilitySummary::of_several(&rows(&[&[Pass], &[Fail]])), None);
        assert_eq!(StabilitySummary::of_several(&rows(&[&[Pass, Pass], &[Fail]])).unwrap().runs_per_case, None);
        assert_eq!(StabilitySummary::of(&rows(&[&[Skipped]])), StabilitySummary::default());
    }

    #[test]
    fn row_counts_completed_runs() {
        let cause = Some(Cause::Interrupted);
        let cut_short = CaseEnd { runs: 5, status: CaseStatus::Error, cause, ..CaseEnd::default() };
        let cut_short = CaseRow::new(&"t1".into(), [cut_short]);
        let stability = Stability::of_several(&cut_short).unwrap();
        assert_eq!((stability.runs, stability.failed, stability.pass_rate), (1, 1, 0.0));
    }

    fn status() -> impl Strategy<Value = CaseStatus> {
        prop_oneof![Just(CaseStatus::Pass), Just(CaseStatus::Fail), Just(CaseStatus::Error)]
    }

    proptest! {
        #[test]
        fn classes_follow_exact_pass_rate(passed in 0_usize..2000, more in 0_usize..2000) {
            let runs = passed + more;
            prop_assume!(runs > 0);
            let class = StabilityClass::of(passed, runs);
            prop_assert_eq!(class == StabilityClass::Stable, passed == runs);
            prop_assert_eq!(class <= StabilityClass::MostlyStable, passed * 5 >= runs * 4);
            prop_assert_eq!(class <= StabilityClass::Unstable, passed * 2 >= runs);
        }

        #[test]
        fn statistics_stay_within_bounds(
            attempts in prop::collection::vec((status(), 0_u64..1_000_000, "[ab]?"), 1..40)
        ) {
            let attempts: Vec<(CaseStatus, u64, &str)> =
                attempts.iter().map(|(status, wall_ms, output)| (*status, *wall_ms, output.as_str())).collect();
            let stability = Stability::of(&row(&attempts)).unwrap();
            prop_assert_eq!(stability.passed + stability.failed, stability.runs);
            prop_assert!((0.0..=100.0).contains(&stability.pass_rate));
            let (least, most) = (float(stability.min_duration_ms), float(stability.max_duration_ms));
            prop_assert!(stability.avg_duration_ms >= least - 1e-6 && stability.avg_duration_ms <= most + 1e-6);
            // A standard deviation is at most half of the range.
            prop_assert!(stability.std_deviation_ms <= (most - least) / 2.0 + 1e-6);
            let share = stability.identical_outputs.unwrap_or(1.0);
            prop_assert!(share > 0.0 && share <= 1.0);
            prop_assert_eq!(stability.stable, stability.pass_rate >= 100.0);
            prop_assert_eq!(stability.stability_class <= StabilityClass::MostlyStable, stability.pass_rate >= 80.0);
            prop_assert_eq!(stability.stability_class <= StabilityClass::Unstable, stability.pass_rate >= 50.0);
        }
    }
}
