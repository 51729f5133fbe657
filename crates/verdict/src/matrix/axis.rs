//! The results by the values of one axis.

use std::collections::BTreeMap;

use serde::Serialize;

use super::MatrixNumbers;
use super::tally::MatrixTally;
use crate::AxisSetting;

/// The number of values of an axis that are compared with each other.
const COMPARED: usize = 30;

/// The results for each value of an axis.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AxisResults {
    /// The name of the axis.
    pub axis: String,
    /// Its values, in the order of the suite.
    pub values: Vec<AxisValueResults>,
    /// Pairs of values whose intervals over the runs of the same cases with the same values of the other axes do not
    /// overlap.
    pub differences: Vec<AxisDifference>,
    /// The number of pairs of values that ran at least one such case.
    pub compared: usize,
    /// Whether all values ran the same cases with the same values of the other axes. If not, a difference between two
    /// values in the table may be one between what they ran.
    pub same_cases: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AxisValueResults {
    pub value: String,
    #[serde(flatten)]
    pub numbers: MatrixNumbers,
}

/// Two values, one of which passed more often by more than chance explains.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AxisDifference {
    /// The value that passed more often.
    pub more: String,
    /// The value that passed less often.
    pub less: String,
}

/// The runs with a value, by the values of the other axes.
struct ValueRuns<'t> {
    value: &'t str,
    runs: BTreeMap<Vec<&'t AxisSetting>, &'t MatrixTally>,
    numbers: MatrixNumbers,
}

impl AxisResults {
    /// The results of an axis, from those of all combinations.
    pub(super) fn of(axis: &str, combinations: &[(Vec<AxisSetting>, MatrixTally)]) -> Self {
        let values = value_runs(axis, combinations);
        let (mut differences, mut compared) = (Vec::new(), 0);
        for (position, first) in values.iter().take(COMPARED).enumerate() {
            for second in values.iter().take(COMPARED).skip(position + 1) {
                let Some((one, other)) = shared(first, second) else { continue };
                compared += 1;
                // Over all runs, cases that only one of the values ran could hide a difference as well as feign one.
                if !one.differs_from(&other) {
                    continue;
                }
                let (more, less) = if one.pass_rate > other.pass_rate { (first, second) } else { (second, first) };
                differences.push(AxisDifference { more: more.value.to_owned(), less: less.value.to_owned() });
            }
        }
        let same_cases = values.windows(2).all(|pair| pair[0].ran().eq(pair[1].ran()));
        let values = values.into_iter();
        let values =
            values.map(|ValueRuns { value, numbers, .. }| AxisValueResults { value: value.to_owned(), numbers });
        Self { axis: axis.to_owned(), values: values.collect(), differences, compared, same_cases }
    }
}

impl ValueRuns<'_> {
    /// The cases that ran, by the values of the other axes.
    fn ran(&self) -> impl Iterator<Item = (&Vec<&AxisSetting>, u64)> {
        self.runs.iter().filter(|(_, runs)| runs.has_run()).map(|(others, runs)| (others, runs.ran))
    }
}

/// The values of an axis in the order of the suite.
fn value_runs<'t>(axis: &str, combinations: &'t [(Vec<AxisSetting>, MatrixTally)]) -> Vec<ValueRuns<'t>> {
    let mut positions: BTreeMap<&str, usize> = BTreeMap::new();
    let mut found: Vec<(&str, BTreeMap<Vec<&AxisSetting>, &MatrixTally>)> = Vec::new();
    for (settings, runs) in combinations {
        let Some(own) = settings.iter().find(|setting| setting.axis == axis) else { continue };
        let position = *positions.entry(&own.value).or_insert_with(|| {
            found.push((&own.value, BTreeMap::new()));
            found.len() - 1
        });
        found[position].1.insert(settings.iter().filter(|setting| setting.axis != axis).collect(), runs);
    }
    let value = |(value, runs): (&'t str, BTreeMap<_, &'t MatrixTally>)| {
        let numbers = MatrixTally::of_all(runs.values().copied()).numbers();
        ValueRuns { value, runs, numbers }
    };
    found.into_iter().map(value).collect()
}

/// The numbers of two values over the cases that both ran with the same values of the other axes.
fn shared(first: &ValueRuns<'_>, second: &ValueRuns<'_>) -> Option<(MatrixNumbers, MatrixNumbers)> {
    let both = first.runs.iter().filter_map(|(others, one)| one.shared(second.runs.get(others)?));
    let (one, other): (Vec<_>, Vec<_>) = both.unzip();
    (!one.is_empty()).then(|| (MatrixTally::of_all(&one).numbers(), MatrixTally::of_all(&other).numbers()))
}
