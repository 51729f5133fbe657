//! A line of the table: a figure, its floor, and its bar.

use serde_json::{Value, json};

use crate::measure::median;

/// The maximum of a figure.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Bar {
    /// This many times the floor.
    Ratio(f64),
    /// This value, in the unit of the row.
    Value(f64),
}

/// A line of the table.
#[derive(Debug)]
pub(crate) struct Row {
    name: String,
    unit: &'static str,
    ours: f64,
    floor: Option<f64>,
    /// The median, the lowest and the highest of the rounds.
    ratio: Option<[f64; 3]>,
    bar: Option<Bar>,
    rounds: usize,
}

impl Row {
    /// A figure without a floor.
    pub(crate) fn value(name: impl Into<String>, unit: &'static str, ours: f64, bar: Option<Bar>) -> Self {
        Self { name: name.into(), unit, ours, floor: None, ratio: None, bar, rounds: 1 }
    }

    /// A figure with its floor, a pair for each round. The ratio is the median of the ratios of the rounds: a
    /// disturbance affects both halves of its round, or only that round.
    pub(crate) fn compared(
        name: impl Into<String>,
        unit: &'static str,
        pairs: &[(f64, f64)],
        bar: Option<Bar>,
    ) -> Self {
        let ratios: Vec<f64> = pairs.iter().map(|(ours, floor)| ours / floor).collect();
        let lowest = ratios.iter().copied().fold(f64::INFINITY, f64::min);
        let highest = ratios.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        Self {
            name: name.into(),
            unit,
            ours: median(pairs.iter().map(|(ours, _)| *ours).collect()),
            floor: Some(median(pairs.iter().map(|(_, floor)| *floor).collect())),
            rounds: ratios.len(),
            ratio: Some([median(ratios), lowest, highest]),
            bar,
        }
    }

    /// Whether the bar is met; `None` if there is none.
    pub(crate) fn holds(&self) -> Option<bool> {
        match self.bar? {
            Bar::Ratio(most) => self.ratio.map(|[ratio, ..]| ratio <= most),
            Bar::Value(most) => Some(self.ours <= most),
        }
    }

    /// The printed line, below the heading.
    pub(crate) fn line(&self) -> String {
        let number = |value: Option<f64>, digits: usize, after: &str| {
            value.map_or_else(|| "-".to_owned(), |value| format!("{value:.digits$}{after}"))
        };
        let digits = if self.ours < 10.0 { 3 } else { 1 };
        let bar = match self.bar {
            Some(Bar::Ratio(most)) => format!("{most:.2}x"),
            Some(Bar::Value(most)) => format!("{most:.0} {}", self.unit),
            None => "-".to_owned(),
        };
        let verdict = self.holds().map_or("", |holds| if holds { "ok" } else { "above" });
        let line = format!(
            "{:<40} {:>12} {:>12} {:<6} {:>8} {:>9} {verdict}",
            self.name,
            number(Some(self.ours), digits, ""),
            number(self.floor, digits, ""),
            self.unit,
            number(self.ratio.map(|[ratio, ..]| ratio), 2, "x"),
            bar,
        );
        line.trim_end().to_owned()
    }

    /// The row for programs.
    pub(crate) fn json(&self) -> Value {
        let (bar_ratio, bar_value) = match self.bar {
            Some(Bar::Ratio(most)) => (Some(most), None),
            Some(Bar::Value(most)) => (None, Some(most)),
            None => (None, None),
        };
        json!({
            "name": self.name,
            "unit": self.unit,
            "agentci": self.ours,
            "floor": self.floor,
            "ratio": self.ratio.map(|[ratio, ..]| ratio),
            "ratio_lowest": self.ratio.map(|[_, lowest, _]| lowest),
            "ratio_highest": self.ratio.map(|[_, _, highest]| highest),
            "bar_ratio": bar_ratio,
            "bar": bar_value,
            "ok": self.holds(),
            "rounds": self.rounds,
        })
    }
}

/// The heading of the table.
pub(crate) fn heading() -> String {
    format!("{:<40} {:>12} {:>12} {:<6} {:>8} {:>9}", "bench", "agentci", "floor", "unit", "ratio", "bar")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_is_held_against_the_median_of_the_ratios() {
        let pairs = [(10.0, 10.0), (12.0, 10.0), (90.0, 10.0)];
        let row = |bar| Row::compared("x", "ms", &pairs, Some(Bar::Ratio(bar)));
        assert_eq!((row(1.2).holds(), row(1.1).holds()), (Some(true), Some(false)));
        assert!(row(1.1).line().ends_with("above"));
        assert_eq!(Row::value("x", "MB", 5.0, None).holds(), None);
        assert_eq!(Row::value("x", "MB", 5.0, Some(Bar::Value(4.0))).json()["ok"], false);
    }
}
