//! A row for every case, those that did not pass first, for readers without JavaScript, with a status filter that needs none.

use std::fmt::Write as _;

use agentci_verdict::{Aggregates, CaseRow, CaseStatus};

use super::case::reason;
use super::case_details::PageCases;
use super::page::name;
use super::shown_cases::shown;
use crate::{ReportedRun, duration, html_text, one_line};

/// The maximum length of the reason why a case did not pass.
const REASON_LIMIT: usize = 120;

pub(super) fn table(run: &ReportedRun, gathered: &PageCases, numbers: &Aggregates, into: &mut String) {
    into.push_str("<h2>Cases</h2>\n<div class=choice>");
    let choices = [
        ("all", "all", numbers.cases_total),
        ("pass", "passed", numbers.cases_pass),
        ("fail", "failed", numbers.cases_fail),
        ("error", "errors", numbers.cases_error),
        ("skipped", "skipped", numbers.cases_skipped),
    ];
    for (class, word, count) in choices {
        let state = match (class, count) {
            ("all", _) => " checked",
            (_, 0) => " disabled",
            _ => "",
        };
        let _ = write!(
            into,
            "<label class={class}><input type=radio name=see id=see-{class}{state}>{word} <b>{count}</b></label>"
        );
    }
    into.push_str("</div>\n");
    if run.rows.is_empty() {
        into.push_str("<p class=cut>no case ran\n");
        return;
    }
    into.push_str(
        "<table class=cases><thead><tr><th>status<th>case<th>reason<th>time<th>tool calls<th>checks<tbody>\n",
    );
    let failed = |row: &&CaseRow| matches!(row.status(), CaseStatus::Fail | CaseStatus::Error);
    for row in shown(&run.rows).filter(failed).chain(shown(&run.rows).filter(|row| !failed(row))) {
        table_row(row, gathered, into);
    }
    into.push_str("</table>\n");
}

/// ``<tr class=fail><td>fail<td><a href=#c2>t2</a><td>`must_call` failed: ..<td>12 ms<td>2<td>1/3``
fn table_row(row: &CaseRow, gathered: &PageCases, into: &mut String) {
    let end = row.decisive();
    let (number, status, id) = (end.index + 1, end.status.name(), name(row.id()));
    if gathered.evidence(end.index).is_some() {
        let _ = write!(into, "<tr class={status}><td>{status}<td><a href=#c{number}>{id}</a><td>");
    } else {
        let _ = write!(into, "<tr class={status} id=c{number}><td>{status}<td>{id}<td>");
    }
    into.push_str(&html_text(&one_line(&reason(end, REASON_LIMIT))));
    if end.status == CaseStatus::Skipped {
        into.push_str("<td><td><td>\n");
        return;
    }
    let _ = write!(into, "<td>{}<td>{}<td>", duration(row.wall_ms()), end.metrics.tool_calls);
    if end.assertions.total > 0 {
        let _ = write!(into, "{}/{}", gathered.held(end), end.assertions.total);
    }
    into.push('\n');
}
