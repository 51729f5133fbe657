//! The results of a run by axis, by combination and by case.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::ops::Deref;

use super::grid::{COLUMNS, ROWS};
use super::tally::MatrixTally;
use super::{AxisResults, GridCell, GridRow, MatrixNumbers};
use crate::{AxisSetting, CaseRow};

/// The results of the cases that are combinations of a matrix.
#[derive(Debug, Clone, PartialEq)]
pub struct MatrixResults {
    /// The axes, in the order of the suite.
    pub axes: Vec<AxisResults>,
    /// The combinations, in the order of the suite.
    pub combinations: Vec<CombinationResults>,
    /// The first cases, with their results in each combination.
    pub grid: Vec<GridRow>,
    /// The number of cases that are not in the grid.
    pub left_out: usize,
}

/// The results of the cases with one combination.
#[derive(Debug, Clone, PartialEq)]
pub struct CombinationResults {
    /// The value of each axis.
    pub axes: Vec<AxisSetting>,
    /// The numbers of its runs.
    pub numbers: MatrixNumbers,
}

/// The same, while cases are added one by one. Its size depends on the number of runs only by their wall times, and on
/// the number of cases only by two counts for each.
#[derive(Debug, Default)]
struct ResultsTally {
    axes: Vec<String>,
    combinations: Vec<(Vec<AxisSetting>, MatrixTally)>,
    /// The position of each combination.
    positions: HashMap<Vec<AxisSetting>, usize>,
    grid: Vec<GridRow>,
    /// The rows of the grid by their case.
    rows: HashMap<String, usize>,
    /// The hashes of cases that are not in the grid.
    left_out: HashSet<u64>,
}

impl MatrixResults {
    /// The results of these cases; `None` if none is a combination.
    pub fn of<R: Deref<Target = CaseRow>>(rows: impl Iterator<Item = R>) -> Option<Self> {
        let mut tally = ResultsTally::default();
        rows.for_each(|row| tally.add(&row));
        tally.results()
    }
}

impl CombinationResults {
    /// The values of its axes: `small, short`.
    pub fn name(&self) -> String {
        self.axes.iter().map(|setting| setting.value.as_str()).collect::<Vec<_>>().join(", ")
    }
}

impl ResultsTally {
    fn add(&mut self, row: &CaseRow) {
        let Some(combination) = row.decisive().combination.as_deref() else { return };
        let position = self.position(&combination.axes);
        self.combinations[position].1.add(row, &combination.of);
        for AxisSetting { axis, .. } in &combination.axes {
            if !self.axes.contains(axis) {
                self.axes.push(axis.clone());
            }
        }
        self.in_grid(row, &combination.of, position);
    }

    /// Adds a case to the grid. The combinations of a case made from data do not follow one another.
    fn in_grid(&mut self, row: &CaseRow, case: &str, position: usize) {
        if !self.rows.contains_key(case) {
            if self.grid.len() == ROWS {
                let mut hasher = DefaultHasher::new();
                case.hash(&mut hasher);
                self.left_out.insert(hasher.finish());
                return;
            }
            self.rows.insert(case.to_owned(), self.grid.len());
            self.grid.push(GridRow { case: case.to_owned(), cells: Vec::new() });
        }
        if position < COLUMNS {
            self.grid[self.rows[case]].cells.push((position, GridCell::of(row, case)));
        }
    }

    fn position(&mut self, axes: &[AxisSetting]) -> usize {
        if let Some(position) = self.positions.get(axes) {
            return *position;
        }
        self.combinations.push((axes.to_vec(), MatrixTally::default()));
        self.positions.insert(axes.to_vec(), self.combinations.len() - 1);
        self.combinations.len() - 1
    }

    fn results(self) -> Option<MatrixResults> {
        let axes = self.axes.iter().map(|axis| AxisResults::of(axis, &self.combinations)).collect();
        let combinations: Vec<CombinationResults> = (self.combinations.into_iter())
            .map(|(axes, runs)| CombinationResults { axes, numbers: runs.numbers() })
            .collect();
        (!combinations.is_empty()).then_some(MatrixResults {
            axes,
            combinations,
            left_out: self.left_out.len(),
            grid: self.grid,
        })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use agentci_trace::Usage;

    use super::*;
    use crate::{Body, CaseCombination, CaseEnd, CaseStatus, Metrics, Rows, RunEvent};

    /// Runs of a case: its id, values of the axes `m` and `p`, passes, runs, cost of each run.
    type CaseRuns<'r> = (&'r str, &'r str, &'r str, u32, u32, Option<f64>);

    fn results(runs: &[CaseRuns<'_>]) -> MatrixResults {
        let mut rows = Rows::default();
        for (index, (of, m, p, passes, count, cost)) in runs.iter().enumerate() {
            for run in 0..*count {
                let setting = |axis: &str, value: &str| AxisSetting { axis: axis.into(), value: value.into() };
                let axes = vec![setting("m", m), setting("p", p)];
                let status = if run < *passes { CaseStatus::Pass } else { CaseStatus::Fail };
                let usage = Usage { cost_usd: *cost, ..Usage::default() };
                let end = CaseEnd {
                    index,
                    runs: *count,
                    status,
                    wall_ms: u64::from(run) + 1,
                    metrics: Metrics { usage, ..Metrics::default() },
                    combination: Some(Box::new(CaseCombination { of: (*of).into(), axes })),
                    ..CaseEnd::default()
                };
                let body = Body::CaseEnd(Arc::new(end));
                let id = Some(format!("{of}[{m},{p}]").into());
                rows.add(&RunEvent { suite: "s".into(), case_id: id, attempt: Some(run + 1), timestamp: 1, body });
            }
        }
        MatrixResults::of(rows.iter()).unwrap()
    }

    #[test]
    fn counts_runs_by_axis_and_by_combination() {
        let found = results(&[
            ("a", "x", "1", 3, 3, Some(0.5)),
            ("a", "x", "2", 1, 3, None),
            ("a", "y", "1", 0, 1, Some(0.25)),
            ("a", "y", "2", 1, 1, Some(0.25)),
        ]);
        let names: Vec<String> = found.combinations.iter().map(CombinationResults::name).collect();
        assert_eq!(names, ["x, 1", "x, 2", "y, 1", "y, 2"]);
        let x = &found.axes[0].values[0];
        assert_eq!((x.value.as_str(), x.numbers.cases, x.numbers.runs, x.numbers.passes), ("x", 2, 6, 4));
        assert_eq!((x.numbers.cost_usd, x.numbers.cost_unknown, x.numbers.wall_ms), (Some(1.5), 3, Some(2)));
        assert_eq!((x.numbers.tokens_in, x.numbers.tokens_in_unknown), (None, 6));
        let [low, high] = x.numbers.interval.unwrap();
        assert!(low < 2.0 / 3.0 && high > 2.0 / 3.0);
        assert_eq!(found.grid[0].cell(1).unwrap().status, CaseStatus::Fail);
        assert!(found.grid[0].cell(4).is_none());
    }

    #[test]
    fn overlapping_intervals_are_no_difference() {
        let close = results(&[("a", "x", "1", 8, 10, None), ("a", "y", "1", 5, 10, None)]);
        assert_eq!(close.axes[0].differences, []);
        assert!(close.axes[0].same_cases);
        let clear = results(&[("a", "x", "1", 2, 30, None), ("a", "y", "1", 28, 30, None)]);
        assert_eq!(clear.axes[0].differences, [crate::AxisDifference { more: "y".into(), less: "x".into() }]);
    }

    #[test]
    fn values_that_ran_different_cases_are_not_compared() {
        let other_case = results(&[("a", "x", "1", 2, 30, None), ("b", "y", "1", 28, 30, None)]);
        assert_eq!((other_case.axes[0].same_cases, other_case.axes[0].differences.len()), (false, 0));
        let other_prompt = results(&[("a", "x", "1", 2, 30, None), ("a", "y", "2", 28, 30, None)]);
        assert_eq!((other_prompt.axes[0].same_cases, other_prompt.axes[0].differences.len()), (false, 0));
    }

    #[test]
    fn values_are_compared_where_they_ran_the_same_cases() {
        let mut runs = vec![("a", "x", "1", 2, 30, None), ("a", "y", "1", 28, 30, None), ("a", "y", "2", 30, 30, None)];
        let clear = results(&runs);
        assert_eq!((clear.axes[0].same_cases, clear.axes[0].compared, clear.axes[0].differences.len()), (false, 1, 1));
        // With the same prompt both are equally good: the table alone would blame the model.
        (runs[0].3, runs[1].3, runs[1].4) = (15, 2, 4);
        let confounded = results(&runs);
        let [x, y] = [0, 1].map(|value| &confounded.axes[0].values[value].numbers);
        assert!(x.differs_from(y));
        assert_eq!(confounded.axes[0].differences, []);
    }

    #[test]
    fn difference_where_both_ran_the_same_cases_is_one_whatever_else_ran() {
        // Over all of their runs the values of `p` do not differ, since `hard` also ran with better models.
        let mut runs = vec![("a", "a", "easy", 12, 12, None), ("a", "a", "hard", 0, 12, None)];
        runs.extend(["c", "d", "e"].map(|m| ("a", m, "hard", 12, 12, None)));
        let found = results(&runs);
        let p = &found.axes[1];
        assert!(!p.values[0].numbers.differs_from(&p.values[1].numbers));
        assert_eq!((p.same_cases, p.compared), (false, 1));
        assert_eq!(p.differences, [crate::AxisDifference { more: "easy".into(), less: "hard".into() }]);
        assert_eq!((p.values[1].numbers.runs, p.values[1].numbers.passes), (48, 36));
    }

    #[test]
    fn case_that_ran_with_one_value_leaves_the_others_comparable() {
        let mut runs = vec![("only-x", "x", "1", 1, 1, None)];
        let ids: Vec<String> = (0..20).map(|number| format!("c{number}")).collect();
        runs.extend(ids.iter().flat_map(|id| [(&**id, "x", "1", 1, 1, None), (id, "y", "1", 0, 1, None)]));
        let found = results(&runs);
        let m = &found.axes[0];
        assert_eq!((m.same_cases, m.compared), (false, 1));
        assert_eq!(m.differences, [crate::AxisDifference { more: "x".into(), less: "y".into() }]);
        assert_eq!(m.values.iter().map(|value| value.numbers.runs).collect::<Vec<_>>(), [21, 20]);
        // The case that only one value ran is no evidence.
        let (easy, hard) = (("only-x", "x", "1", 30, 30, None), ("c0", "x", "1", 1, 1, None));
        let little = results(&[easy, hard, ("c0", "y", "1", 0, 1, None)]);
        assert_eq!((little.axes[0].compared, little.axes[0].differences.len()), (1, 0));
    }

    #[test]
    fn run_without_combinations_has_no_results() {
        assert_eq!(MatrixResults::of(Rows::default().iter()), None);
    }
}
