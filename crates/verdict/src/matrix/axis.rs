//! The results by the values of one axis.

use std::hash::{DefaultHasher, Hash, Hasher};

use serde::Serialize;

use super::MatrixNumbers;
use super::tally::MatrixTally;
use crate::CaseCombination;

/// The results for each value of an axis.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AxisResults {
    /// The name of the axis.
    pub axis: String,
    /// Its values, in the order of the suite.
    pub values: Vec<AxisValueResults>,
    /// Pairs of values whose intervals do not overlap, among those that ran the same cases.
    pub differences: Vec<AxisDifference>,
    /// Whether all values ran the same cases with the same values of the other axes. If not, a difference between two
    /// values may be one between what they ran.
    pub same_cases: bool,
}

/// The results with one value of an axis.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AxisValueResults {
    /// The value.
    pub value: String,
    /// Its numbers.
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

/// An axis, while cases are added.
#[derive(Debug, Default)]
pub(super) struct AxisTally {
    pub(super) axis: String,
    values: Vec<ValueTally>,
}

#[derive(Debug, Default)]
struct ValueTally {
    value: String,
    runs: MatrixTally,
    /// A sum of hashes, one for each case that ran: it is equal for values that ran the same.
    ran: u64,
}

impl AxisTally {
    pub(super) fn new(axis: &str) -> Self {
        Self { axis: axis.to_owned(), values: Vec::new() }
    }

    /// Adds a value of a case that ran.
    pub(super) fn ran(&mut self, value: &str, combination: &CaseCombination) {
        let mut hasher = DefaultHasher::new();
        combination.of.hash(&mut hasher);
        combination.axes.iter().filter(|setting| setting.axis != self.axis).for_each(|other| other.hash(&mut hasher));
        let known = self.value(value);
        known.ran = known.ran.wrapping_add(hasher.finish());
    }

    /// Adds the runs of a combination with this value.
    pub(super) fn join(&mut self, value: &str, runs: &MatrixTally) {
        self.value(value).runs.join(runs);
    }

    fn value(&mut self, value: &str) -> &mut ValueTally {
        let position = self.values.iter().position(|known| known.value == value);
        let position = position.unwrap_or_else(|| {
            self.values.push(ValueTally { value: value.to_owned(), ..ValueTally::default() });
            self.values.len() - 1
        });
        &mut self.values[position]
    }

    pub(super) fn results(&self) -> AxisResults {
        let numbers: Vec<MatrixNumbers> = self.values.iter().map(|value| value.runs.numbers()).collect();
        let mut differences = Vec::new();
        for (position, first) in self.values.iter().enumerate() {
            for (other, second) in self.values.iter().enumerate().skip(position + 1) {
                if first.ran != second.ran || !numbers[position].differs_from(&numbers[other]) {
                    continue;
                }
                let ahead = numbers[position].pass_rate > numbers[other].pass_rate;
                let (more, less) = if ahead { (first, second) } else { (second, first) };
                differences.push(AxisDifference { more: more.value.clone(), less: less.value.clone() });
            }
        }
        let same_cases = self.values.windows(2).all(|pair| pair[0].ran == pair[1].ran);
        let values = self.values.iter().zip(numbers);
        let values = values.map(|(value, numbers)| AxisValueResults { value: value.value.clone(), numbers }).collect();
        AxisResults { axis: self.axis.clone(), values, differences, same_cases }
    }
}
