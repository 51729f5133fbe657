//! The matrix in the console report: at most some thirty lines.

use agentci_verdict::MatrixResults;

use super::table::MatrixTable;
use super::words::{comparison, result, whole_cell};
use crate::{ReportedRun, count_of, cut, one_line};

/// The maximum number of lines.
const LINES: usize = 30;
/// The maximum number of rows of a table.
const ROWS: usize = 8;
/// The number of columns if the width is not known.
const WIDTH: usize = 120;
/// The maximum length of a name from the suite.
const NAME_LIMIT: usize = 40;

/// The section of the console report; empty for a run without a matrix. A `width` of 0 means no limit.
pub(crate) fn section(run: &ReportedRun, width: usize) -> String {
    let Some(results) = run.rows.matrix() else { return String::new() };
    let mut lines = Vec::new();
    let mut missing = Vec::new();
    let width = if width == 0 { WIDTH } else { width };
    for axis in &results.axes {
        let table = MatrixTable::of_axis(axis, ROWS);
        let mut section = aligned(&table);
        section.extend(comparison(axis));
        add(section, &format!("the axis `{}`", axis.axis), &mut lines, &mut missing);
    }
    if results.axes.len() > 1 {
        add(aligned(&MatrixTable::of_combinations(&results, ROWS)), "the combinations", &mut lines, &mut missing);
    }
    match grid(&results, width) {
        Some(grid) => add(grid, "the cases", &mut lines, &mut missing),
        None => missing.push("the cases".to_owned()),
    }
    if !missing.is_empty() {
        lines.push(format!("not shown: {} (see `report.html` or `summary.json`)", missing.join(", ")));
    }
    let mut text = String::from("\n");
    for line in &lines {
        text += &fit(&one_line(line), width);
        text.push('\n');
    }
    text
}

/// Adds a part as a whole, if it fits.
fn add(part: Vec<String>, name: &str, lines: &mut Vec<String>, missing: &mut Vec<String>) {
    if lines.len() + part.len() < LINES {
        lines.extend(part);
    } else {
        missing.push(name.to_owned());
    }
}

/// The cases by combinations with all numbers, or only with their status; `None` if even that is too wide.
fn grid(results: &MatrixResults, width: usize) -> Option<Vec<String>> {
    let all = MatrixTable::of_cases(results, ROWS, whole_cell);
    let short = MatrixTable::of_cases(results, ROWS, result);
    [all, short].iter().map(aligned).find(|lines| lines.iter().all(|line| line.chars().count() <= width))
}

/// The lines of a table with aligned columns.
fn aligned(table: &MatrixTable) -> Vec<String> {
    let mut rows: Vec<Vec<String>> = vec![shortened(&table.headings)];
    rows.extend(table.rows.iter().map(|row| {
        let mut row = shortened(row);
        row[0].insert_str(0, "  ");
        row
    }));
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or_default();
    let widths: Vec<usize> = (0..rows[0].len()).map(width).collect();
    let line = |row: &Vec<String>| {
        let cells: Vec<String> = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}")).collect();
        cells.join("  ").trim_end().to_owned()
    };
    let mut lines: Vec<String> = rows.iter().map(line).collect();
    if table.left_out > 0 {
        lines.push(format!("  {} not shown", count_of(table.left_out, "more row")));
    }
    lines
}

fn shortened(row: &[String]) -> Vec<String> {
    row.iter().map(|cell| one_line(&cut::name(cell, NAME_LIMIT)).into_owned()).collect()
}

fn fit(line: &str, width: usize) -> String {
    if line.chars().nth(width).is_none() {
        return line.to_owned();
    }
    line.chars().take(width.saturating_sub(3)).chain("...".chars()).collect()
}
