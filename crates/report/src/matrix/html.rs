//! The matrix in the HTML report. The name of a value filters the table of cases, and a cell leads to its case.

use std::fmt::Write as _;

use agentci_verdict::{AxisResults, AxisSetting, GridRow, MatrixNumbers, MatrixResults};

use super::words::{HEADINGS, columns, comparison, whole_cell};
use crate::html::{name, shortened};
use crate::{ReportedRun, count_of, cut};

/// The maximum number of rows of a table.
const ROWS: usize = 200;
/// The maximum number of combinations in the table of cases.
const COLUMNS: usize = 50;
/// The maximum length of a tag in the data of the page.
const TAG_LIMIT: usize = 200;
/// The maximum length of a sentence.
const SENTENCE_LIMIT: usize = 1000;

/// Adds the section; nothing for a run without a matrix.
pub(crate) fn html(run: &ReportedRun, into: &mut String) {
    let Some(results) = run.rows.matrix() else { return };
    into.push_str("<h2>Matrix</h2>\n");
    for axis in &results.axes {
        axis_table(axis, into);
    }
    if results.axes.len() > 1 {
        let row = |at: usize| {
            let found = &results.combinations[at];
            let values: Vec<String> = found.axes.iter().map(filter).collect();
            (values.join(", "), &found.numbers)
        };
        let rows: Vec<_> = (0..results.combinations.len()).map(row).collect();
        numbers_table("combination", &rows, into);
    }
    cases_table(&results, into);
}

fn axis_table(results: &AxisResults, into: &mut String) {
    let row = |at: usize| {
        let found = &results.values[at];
        let setting = AxisSetting { axis: results.axis.clone(), value: found.value.clone() };
        (filter(&setting), &found.numbers)
    };
    let rows: Vec<_> = (0..results.values.len()).map(row).collect();
    numbers_table(&results.axis, &rows, into);
    if let Some(sentence) = comparison(results) {
        let _ = writeln!(into, "<p class=quiet>{}</p>", shortened(&sentence, SENTENCE_LIMIT));
    }
}

/// A table whose first column is already HTML.
fn numbers_table(first: &str, rows: &[(String, &MatrixNumbers)], into: &mut String) {
    let _ = write!(into, "<div class=matrix><table><thead><tr><th>{}", name(first));
    for heading in HEADINGS {
        let _ = write!(into, "<th>{heading}");
    }
    into.push_str("<tbody>\n");
    for (first, numbers) in rows.iter().take(ROWS) {
        let _ = write!(into, "<tr><td>{first}");
        for cell in columns(numbers) {
            let _ = write!(into, "<td>{cell}");
        }
        into.push('\n');
    }
    into.push_str("</table></div>\n");
    left_out(rows.len().saturating_sub(ROWS), "row", into);
}

fn cases_table(results: &MatrixResults, into: &mut String) {
    let shown = results.combinations.len().min(COLUMNS);
    into.push_str("<div class=matrix><table><thead><tr><th>case");
    for found in &results.combinations[..shown] {
        let _ = write!(into, "<th>{}", name(&found.name()));
    }
    into.push_str("<tbody>\n");
    for GridRow { case, cells } in results.grid.iter().take(ROWS) {
        let _ = write!(into, "<tr><td>{}", name(case));
        for at in 0..shown {
            into.push_str("<td>");
            if let Some((_, cell)) = cells.iter().find(|(position, _)| *position == at) {
                let (number, class) = (cell.index + 1, cell.status.name());
                let _ = write!(into, "<a href=#c{number} class={class}>{}</a>", whole_cell(cell));
            }
        }
        into.push('\n');
    }
    into.push_str("</table></div>\n");
    left_out(results.combinations.len() - shown, "combination", into);
    left_out(results.grid.len().saturating_sub(ROWS) + results.left_out, "case", into);
}

fn left_out(number: usize, what: &str, into: &mut String) {
    if number > 0 {
        let _ = writeln!(into, "<p class=cut>{} left out of this table", count_of(number, what));
    }
}

/// A link that shows only the cases with a value of an axis, by its tag.
fn filter(setting: &AxisSetting) -> String {
    let AxisSetting { axis, value } = setting;
    let tag = cut::name(&format!("{axis}={value}"), TAG_LIMIT);
    format!("<a href=\"#tag={}\">{}</a>", percent_encoded(&tag), name(value))
}

fn percent_encoded(text: &str) -> String {
    let encoded = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' => char::from(byte).to_string(),
        other => format!("%{other:02X}"),
    };
    text.bytes().map(encoded).collect()
}
