//! The comparison that `agentci diff` prints.
//!
//! ```text
//!            baseline  current  change
//! pass rate  1.00      0.80     -0.20
//! mean wall  56 ms     60 ms    +7 %
//! p95 wall   80 ms     82 ms    +2 %
//!
//! gate             status  details
//! min_pass_rate    FAIL    0.80 is below 0.90 (baseline 1.00)
//! no_new_failures  FAIL    1 case fails that did not fail in the baseline: t2
//!
//! t2: pass -> fail
//! t2: step 2 was search_docs, is create_issue
//!
//! 2 of 2 gates failed
//! ```

use std::fmt::Write as _;

use agentci_verdict::{Comparison, GateStatus, WallChange};

use super::section::{asked, sign};
use super::words;
use crate::rounding::{self, rounded, signed};
use crate::{Paint, Tone, count_of, duration_of, one_line};

/// A table of the metrics, the gates and all changes.
pub fn comparison_table(comparison: &Comparison, paint: Paint) -> String {
    let mut text = numbers(comparison);
    let gates: Vec<_> = asked(&comparison.checks).collect();
    if !gates.is_empty() {
        let name_width = gates.iter().map(|gate| gate.id.name().len()).max().expect("there are gates");
        let _ = writeln!(text, "\n{:name_width$}  status  details", "gate");
        for gate in &gates {
            let (tone, word) = sign(gate.status);
            let room = " ".repeat("status".len().saturating_sub(word.len()));
            let word = paint.apply(tone, word);
            let _ = writeln!(text, "{:name_width$}  {word}{room}  {}", gate.id.name(), one_line(&words::gate(gate)));
        }
    }
    text.push('\n');
    let changes = words::changes(&comparison.case_diffs, usize::MAX);
    for change in &changes {
        let _ = writeln!(text, "{}", one_line(change));
    }
    if changes.is_empty() {
        text += "no case changed\n";
    }
    for warning in &comparison.warnings {
        let _ = writeln!(text, "{}: {}", paint.apply(Tone::Warning, "warning"), one_line(warning));
    }
    let failed = gates.iter().filter(|gate| gate.status == GateStatus::Fail).count();
    let _ = match (failed, gates.len()) {
        (_, 0) => writeln!(text, "\nno gates are set"),
        (0, _) => writeln!(text, "\nno gate failed"),
        (failed, all) => writeln!(text, "\n{failed} of {} failed", count_of(all, "gate")),
    };
    text
}

fn numbers(comparison: &Comparison) -> String {
    let rate = comparison.metrics.pass_rate;
    let share = |rate: Option<f64>| rate.map_or_else(|| "-".to_owned(), rounding::rate);
    let change = rate.delta.map_or_else(|| "-".to_owned(), |delta| signed(&rounded(delta, 2, &[0.0])));
    let wall = comparison.metrics.wall_ms;
    let rows = [
        [String::new(), "baseline".to_owned(), "current".to_owned(), "change".to_owned()],
        ["pass rate".to_owned(), share(rate.baseline), share(Some(rate.current)), change],
        time("mean wall", wall.mean),
        time("p95 wall", wall.p95),
    ];
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().expect("there is a heading");
    let (first, second, third) = (width(0), width(1), width(2));
    let mut text = String::new();
    for [name, baseline, current, change] in &rows {
        let _ = writeln!(text, "{name:first$}  {baseline:second$}  {current:third$}  {change}");
    }
    text
}

fn time(name: &str, wall: WallChange) -> [String; 4] {
    let shown = |time: Option<f64>| time.map_or_else(|| "-".to_owned(), duration_of);
    let change =
        wall.delta_pct.map_or_else(|| "-".to_owned(), |delta| signed(&rounded(delta * 100.0, 0, &[0.0])) + " %");
    [name.to_owned(), shown(wall.baseline), shown(wall.current), change]
}
