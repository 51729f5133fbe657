//! The matrix as Markdown.

use std::fmt::Write as _;

use super::label::distinct;
use super::table::MatrixTable;
use super::words::{comparison, whole_cell};
use crate::markdown::code;
use crate::{ReportedRun, count_of, cut};

/// The maximum number of axes.
const AXES: usize = 10;
/// The maximum number of rows of a table.
const ROWS: usize = 30;
/// The maximum number of combinations in the table of cases: more are not readable.
const COLUMNS: usize = 8;
/// The maximum length of a name.
const NAME_LIMIT: usize = 80;

/// The section, in at most `room` bytes; empty for a run without a matrix.
pub(crate) fn markdown(run: &ReportedRun, room: usize) -> String {
    let Some(results) = run.rows.matrix() else { return String::new() };
    let mut text = String::from("### Matrix\n\n");
    let mut missing = Vec::new();
    let mut add = |part: String, name: &str| {
        if text.len() + part.len() <= room { text += &part } else { missing.push(name.to_owned()) }
    };
    for axis in results.axes.iter().take(AXES) {
        let mut part = table(&MatrixTable::of_axis(axis, ROWS), false);
        if let Some(sentence) = comparison(axis) {
            let _ = writeln!(part, "{}\n", code::span(&sentence));
        }
        add(part, &format!("the axis {}", code::span(&cut::name(&axis.axis, NAME_LIMIT))));
    }
    if results.axes.len() > 1 {
        add(table(&MatrixTable::of_combinations(&results, ROWS), false), "the combinations");
    }
    if results.combinations.len() <= COLUMNS {
        add(table(&MatrixTable::of_cases(&results, ROWS, whole_cell), true), "the cases by combination");
    } else {
        missing.push("the cases by combination".to_owned());
    }
    if results.axes.len() > AXES {
        missing.push(count_of(results.axes.len() - AXES, "more axis").replace("axiss", "axes"));
    }
    if !missing.is_empty() {
        let _ = writeln!(text, "Left out: {}.\n", missing.join(", "));
    }
    text
}

/// The first heading is a name from the suite, and with `has_names` all others are.
fn table(table: &MatrixTable, has_names: bool) -> String {
    let name = |text: &String| code::cell(text);
    let first: Vec<String> = table.rows.iter().map(|row| row[0].clone()).collect();
    let first = distinct(&first, NAME_LIMIT);
    let headings = distinct(&table.headings, NAME_LIMIT);
    let mut text = String::from("|");
    for (position, heading) in headings.iter().enumerate() {
        let heading = if position == 0 || has_names { name(heading) } else { heading.clone() };
        let _ = write!(text, " {heading} |");
    }
    text += "\n|:--|";
    text += &"--:|".repeat(table.headings.len() - 1);
    text.push('\n');
    for (first, row) in first.iter().zip(&table.rows) {
        let _ = write!(text, "| {} |", name(first));
        for cell in &row[1..] {
            let _ = write!(text, " {cell} |");
        }
        text.push('\n');
    }
    if table.left_out > 0 {
        let _ = writeln!(text, "\n{} left out.", count_of(table.left_out, "row"));
    }
    text.push('\n');
    text
}
