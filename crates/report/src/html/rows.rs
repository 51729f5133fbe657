//! The case table for the page's script: one list per case, with repeated names stored once.
//!
//! ```json
//! {"cases":[[2,"t2","fail",12,2,1,3,1,0,0,[0],[0],"`must_call` failed: ..","was pass"]],"blocks":[0],
//!  "files":["cases/t2.yaml"],"tags":["money"],"tools":["search_docs"],
//!  "groups":[{"title":"`must_call` failed: ..","cases":[2]}],"baseline":true}
//! ```
//!
//! `blocks` contains for each case the number of the block with its details, or -1 if they did not fit; `baseline` says
//! whether the run was compared with one.

use std::collections::BTreeMap;

use agentci_verdict::{CaseRow, CaseStatus};
use serde::Serialize;

use super::baseline::{Departure, Departures};
use super::case::reason;
use super::case_details::PageCases;
use super::shown_cases::shown;
use crate::failures::{self, FailureGroup};
use crate::{ReportedRun, cut};

/// The maximum length of a name.
const NAME_LIMIT: usize = 200;
/// The maximum length of the reason why a case did not pass.
const REASON_LIMIT: usize = 160;
/// The maximum number of tags and tools of a case that are named.
const NAMED: usize = 12;

/// The table as JSON.
pub(super) fn table(
    run: &ReportedRun,
    gathered: &PageCases,
    departures: &Departures<'_>,
    block: impl Fn(usize) -> i64,
) -> String {
    let mut names = RepeatedNames::default();
    let cases: Vec<String> = shown(&run.rows).map(|row| case(row, gathered, departures, &mut names)).collect();
    let blocks: Vec<String> = shown(&run.rows).map(|row| block(row.decisive().index).to_string()).collect();
    let compared = run.gates.as_ref().is_some_and(|report| report.baseline_path.is_some() && report.problem.is_none());
    format!(
        r#"{{"cases":[{}],"blocks":[{}],"files":{},"tags":{},"tools":{},"groups":{},"baseline":{compared}}}"#,
        cases.join(","),
        blocks.join(","),
        json(&names.files.list),
        json(&names.tags.list),
        json(&names.tools.list),
        json(&groups(run)),
    )
}

/// Cases that did not pass for the same reason, by their numbers.
#[derive(Serialize)]
struct NumberedGroup {
    title: String,
    cases: Vec<usize>,
}

fn groups(run: &ReportedRun) -> Vec<NumberedGroup> {
    let numbered = |group: FailureGroup<'_>| NumberedGroup {
        title: cut::name(&group.title, REASON_LIMIT),
        cases: group.rows.iter().map(|row| row.decisive().index + 1).collect(),
    };
    failures::of(run).into_iter().map(numbered).collect()
}

/// number, id, status, `wall_ms`, tool calls, passed checks, checks, runs, passed runs, file, tags, tools, reason,
/// baseline
fn case(row: &CaseRow, gathered: &PageCases, departures: &Departures<'_>, names: &mut RepeatedNames) -> String {
    let end = row.decisive();
    let checks = end.assertions;
    json(&(
        end.index + 1,
        cut::name(row.id(), NAME_LIMIT),
        end.status.name(),
        row.wall_ms(),
        end.metrics.tool_calls,
        gathered.held(end),
        checks.total,
        row.runs(),
        row.attempts.iter().filter(|end| end.status == CaseStatus::Pass).count(),
        names.files.number(end.place.as_ref().map(|place| &*place.path).unwrap_or_default()),
        end.tags.iter().take(NAMED).map(|tag| names.tags.number(tag)).collect::<Vec<_>>(),
        end.metrics.tool_calls_by_name.keys().take(NAMED).map(|tool| names.tools.number(tool)).collect::<Vec<_>>(),
        reason(end, REASON_LIMIT),
        departures.get(row.id()).map(Departure::words).unwrap_or_default(),
    ))
}

fn json(value: &impl Serialize) -> String {
    // Strings and numbers can always be serialized.
    serde_json::to_string(value).expect("a row is JSON")
}

#[derive(Default)]
struct RepeatedNames {
    files: Numbered,
    tags: Numbered,
    tools: Numbered,
}

/// Names, each with a number.
#[derive(Default)]
struct Numbered {
    list: Vec<String>,
    numbers: BTreeMap<String, usize>,
}

impl Numbered {
    fn number(&mut self, name: &str) -> usize {
        let name = cut::name(name, NAME_LIMIT);
        *self.numbers.entry(name).or_insert_with_key(|name| {
            self.list.push(name.clone());
            self.list.len() - 1
        })
    }
}
