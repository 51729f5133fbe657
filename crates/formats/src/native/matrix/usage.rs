//! Finds axes that a case does not use: its combinations would all run the same thing.

use std::collections::BTreeMap;

use agentci_source::{Diagnostics, Span};
use agentci_text::and_more;

use super::axes::Matrix;

/// The maximum number of cases that a warning names.
const NAMED: usize = 5;

/// How many cases each axis has, and which of them do not use it.
#[derive(Default)]
pub(super) struct AxisUsage(BTreeMap<Span, AxisCases>);

#[derive(Default)]
struct AxisCases {
    axis: String,
    values: usize,
    cases: usize,
    without: Vec<String>,
    without_count: usize,
}

impl AxisUsage {
    pub(super) fn add(&mut self, matrix: &Matrix, case: &str, uses: impl Fn(&str) -> bool) {
        for (position, axis) in matrix.axes.iter().enumerate() {
            let mut values: Vec<&str> = Vec::new();
            for combination in &matrix.combinations {
                if !values.contains(&&*combination.axes[position].1) {
                    values.push(&combination.axes[position].1);
                }
            }
            let known = self.0.entry(axis.span).or_default();
            (known.axis, known.values) = (axis.name.to_string(), values.len());
            known.cases += 1;
            if !uses(&axis.name) {
                known.without_count += 1;
                if known.without.len() < NAMED {
                    known.without.push(format!("`{}`", case.escape_debug()));
                }
            }
        }
    }

    pub(super) fn report(&self, problems: &mut Diagnostics) {
        // An axis with one value does not repeat anything.
        for (span, found) in self.0.iter().filter(|(_, found)| found.without_count > 0 && found.values > 1) {
            let AxisCases { axis, values, cases, without, without_count } = found;
            let label = format!("its {values} values run the same thing");
            let help = format!("use `${{matrix.{axis}}}` in the target, the world or the input, or remove the axis");
            if without_count == cases {
                problems.warning(*span, format!("the axis `{axis}` is never used"), label).help(help);
                continue;
            }
            let more = and_more(without_count - without.len());
            let message = format!("the axis `{axis}` is not used by {}{more}", without.join(", "));
            let help = format!("{help}, or give the case a `matrix` without it");
            problems.warning(*span, message, label).help(help);
        }
    }
}
