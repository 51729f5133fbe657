//! The matrix in the console report: at most some thirty lines. Numbers are never cut: if a table is too wide, its names
//! are shortened, and then it lacks whole columns.

use agentci_verdict::MatrixResults;

use super::label::distinct;
use super::table::MatrixTable;
use super::words::{comparison, known_cell, result};
use crate::{ReportedRun, count_of, one_line};

/// The maximum number of lines.
const LINES: usize = 30;
/// The maximum number of rows of a table.
const ROWS: usize = 8;
/// The maximum number of characters in a line of the table of cases if the width is not known.
const WIDTH: usize = 120;
/// The maximum length of a name from the suite.
const NAME_LIMIT: usize = 40;
/// The length of a name below which columns are left out instead.
const SHORTEST_NAME: usize = 16;
/// Stands before the names in the first column, except for its heading.
const INDENT: &str = "  ";
/// The space between two columns.
const GAP: usize = 2;

/// The section of the console report; empty for a run without a matrix. A `width` of 0 means no limit.
pub(crate) fn section(run: &ReportedRun, width: usize) -> String {
    let Some(results) = run.rows.matrix() else { return String::new() };
    of_results(&results, width)
}

fn of_results(results: &MatrixResults, width: usize) -> String {
    let mut lines = Vec::new();
    let mut missing = Vec::new();
    let mut narrow: Vec<String> = Vec::new();
    let mut aligned_to_fit = |table: &MatrixTable| {
        let (lines, left_out) = aligned(table, if width == 0 { usize::MAX } else { width });
        for heading in left_out {
            let column = format!("the column `{heading}`");
            if !narrow.contains(&column) {
                narrow.push(column);
            }
        }
        lines
    };
    for axis in &results.axes {
        let mut section = aligned_to_fit(&MatrixTable::of_axis(axis, ROWS));
        section.extend(comparison(axis));
        add(section, &format!("the axis `{}`", axis.axis), &mut lines, &mut missing);
    }
    if results.axes.len() > 1 {
        let section = aligned_to_fit(&MatrixTable::of_combinations(results, ROWS));
        add(section, "the combinations", &mut lines, &mut missing);
    }
    match grid(results, if width == 0 { WIDTH } else { width }) {
        Some(grid) => add(grid, "the cases", &mut lines, &mut missing),
        None => missing.push("the cases".to_owned()),
    }
    missing.append(&mut narrow);
    if !missing.is_empty() {
        lines.push(format!("not shown: {} (see `report.html` or `summary.json`)", missing.join(", ")));
    }
    let mut text = String::from("\n");
    for line in &lines {
        text += &one_line(line);
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
    if results.combinations.len() * ("pass".len() + GAP) > width {
        return None;
    }
    let fitting = |mut table: MatrixTable, limit: usize| {
        let names = one_lines(table.headings.iter().skip(1));
        table.headings.splice(1.., distinct(&names, limit));
        let (lines, left_out) = aligned(&table, width);
        let fits = left_out.is_empty() && lines.iter().all(|line| line.chars().count() <= width);
        fits.then_some(lines)
    };
    let all = |limit| fitting(MatrixTable::of_cases(results, ROWS, known_cell), limit);
    let short = |limit| fitting(MatrixTable::of_cases(results, ROWS, result), limit);
    all(NAME_LIMIT).or_else(|| all(SHORTEST_NAME)).or_else(|| short(NAME_LIMIT)).or_else(|| short(SHORTEST_NAME))
}

/// The lines of a table with aligned columns, and the headings of the columns that do not fit. At least one column of
/// numbers is shown, however narrow the terminal is.
fn aligned(table: &MatrixTable, width: usize) -> (Vec<String>, &[String]) {
    let length = |text: &String| text.chars().count();
    let names = one_lines(table.rows.iter().map(|row| &row[0]));
    let longest = names.iter().map(length).max().unwrap_or_default().min(NAME_LIMIT) + INDENT.len();
    let most = longest.max(length(&table.headings[0]).min(NAME_LIMIT));
    let least = most.min(SHORTEST_NAME + INDENT.len());
    let widest = |column: usize| {
        let cells = table.rows.iter().map(|row| &row[column]);
        cells.chain([&table.headings[column]]).map(length).max().expect("there is a heading")
    };
    let room = |shown: usize| width.saturating_sub((1..shown).map(|column| widest(column) + GAP).sum());
    let mut shown = table.headings.len();
    while shown > 2 && room(shown) < least {
        shown -= 1;
    }
    let first = room(shown).clamp(least, most);
    let widths: Vec<usize> = [first].into_iter().chain((1..shown).map(widest)).collect();
    let line = |name: String, row: &[String]| {
        let cells = [&name].into_iter().chain(&row[1..shown]).zip(&widths);
        let cells: Vec<String> = cells.map(|(cell, width)| format!("{cell:width$}")).collect();
        cells.join(&" ".repeat(GAP)).trim_end().to_owned()
    };
    let heading = distinct(&one_lines([&table.headings[0]]), first).concat();
    let mut lines = vec![line(heading, &table.headings)];
    let names = distinct(&names, first - INDENT.len());
    lines.extend(names.iter().zip(&table.rows).map(|(name, row)| line(format!("{INDENT}{name}"), row)));
    if table.left_out > 0 {
        lines.push(format!("  {} not shown", count_of(table.left_out, "more row")));
    }
    (lines, &table.headings[shown..])
}

fn one_lines<'n>(names: impl IntoIterator<Item = &'n String>) -> Vec<String> {
    names.into_iter().map(|name| one_line(name).into_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(names: [&str; 2]) -> MatrixTable {
        let words = |row: [&str; 6]| row.map(str::to_owned).to_vec();
        MatrixTable {
            headings: words(["model", "passed", "pass rate", "95 % interval", "tokens in/out", "median time"]),
            rows: names.map(|name| words([name, "12 of 24", "50 %", "31.4 % to 68.6 %", "200 / 40", "14 ms"])).to_vec(),
            left_out: 0,
        }
    }

    #[test]
    fn numbers_are_never_cut() {
        let long = table(["a-long-name-of-some-model-1", "a-long-name-of-some-model-2"]);
        for width in 1..130 {
            let (lines, left_out) = aligned(&long, width);
            let shown = &long.rows[0][1..6 - left_out.len()];
            assert!(lines[1..].iter().all(|line| shown.iter().all(|number| line.contains(number))), "{lines:?}");
            assert_ne!(lines[1], lines[2]);
            let fits = lines.iter().all(|line| line.chars().count() <= width);
            assert!(fits || left_out.len() == 4, "{width}: {lines:?}");
        }
        assert_eq!(aligned(&long, 100).1.len(), 0);
        assert_eq!(aligned(&long, 80).1, ["median time"]);
        assert_eq!(aligned(&long, 40).1.len(), 3);
        assert!(aligned(&long, usize::MAX).0[1].starts_with("  a-long-name-of-some-model-1  12 of 24"));
    }

    #[test]
    fn rows_can_be_told_apart() {
        let (one, two) = (format!("{}, short", "m".repeat(60)), format!("{}, long", "m".repeat(60)));
        let (lines, _) = aligned(&table([&one, &two]), 100);
        assert_ne!(lines[1].split("  ").nth(1), lines[2].split("  ").nth(1), "{lines:?}");
        assert!(lines[1].contains(", short  ") && lines[2].contains(", long  "), "{lines:?}");
    }
}
