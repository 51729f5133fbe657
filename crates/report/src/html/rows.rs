//! The case table, as the page's script gets it: a list a case, with names that repeat written once.
//!
//! ```json
//! {"cases":[[2,"t2","fail",12,2,1,3,1,0,0,[0],[0],"check `must_call` did not hold","was pass"]],"blocks":[0],
//!  "files":["cases/t2.yaml"],"tags":["money"],"tools":["search_docs"],"baseline":true}
//! ```
//!
//! `blocks` has for each case the block with its details, or -1 where there was no room for them; `baseline` tells whether the run
//! was compared with one.

use std::borrow::Cow;
use std::collections::BTreeMap;

use agentci_verdict::{Row, Status};
use serde::Serialize;

use super::baseline::{Departure, Departures};
use super::case::reason;
use super::detail::file;
use super::gathered::Gathered;
use super::packer::Packer;
use crate::cut;
use crate::run::Run;

/// The longest name that is written out.
const NAME_LIMIT: usize = 200;
/// The most of the words that say why a case did not pass.
const REASON_LIMIT: usize = 160;
/// How many tags and tools of a case are named.
const NAMED: usize = 12;

/// number, id, status, `wall_ms`, tool calls, checks that held, checks, runs, runs that passed, file, tags, tools, why, baseline
#[derive(Serialize)]
struct Case<'r>(
    usize,
    Cow<'r, str>,
    &'static str,
    u64,
    u64,
    usize,
    usize,
    u32,
    usize,
    usize,
    Vec<usize>,
    Vec<usize>,
    String,
    String,
);

/// Writes the table as JSON, row by row: of a hundred thousand cases there are a few at a time.
pub(super) fn table(
    run: &Run,
    gathered: &Gathered,
    departures: &Departures<'_>,
    block: &dyn Fn(usize) -> i64,
    packer: &mut Packer,
) {
    let mut names = Names::default();
    packer.text.extend_from_slice(b"{\"cases\":[");
    for (at, row) in run.rows.iter().enumerate() {
        separate(at, &mut packer.text);
        put(&case(row, gathered, departures, &mut names), &mut packer.text);
        packer.go_on();
    }
    packer.text.extend_from_slice(b"],\"blocks\":[");
    for (at, row) in run.rows.iter().enumerate() {
        separate(at, &mut packer.text);
        put(&block(row.decisive().index), &mut packer.text);
        packer.go_on();
    }
    let json = &mut packer.text;
    json.push(b']');
    for (key, list) in [("files", names.files.list), ("tags", names.tags.list), ("tools", names.tools.list)] {
        json.extend_from_slice(format!(",\"{key}\":").as_bytes());
        put(&list, json);
    }
    let compared = run.gates.as_ref().is_some_and(|report| report.baseline_path.is_some() && report.problem.is_none());
    json.extend_from_slice(format!(",\"baseline\":{compared}}}").as_bytes());
}

fn case<'r>(row: &'r Row, gathered: &Gathered, departures: &Departures<'_>, names: &mut Names) -> Case<'r> {
    let end = row.decisive();
    let checks = end.assertions;
    Case(
        end.index + 1,
        cut::short_name(row.id(), NAME_LIMIT),
        end.status.name(),
        row.wall_ms(),
        end.metrics.tool_calls,
        gathered.held(end.index).unwrap_or(checks.total.saturating_sub(checks.failed)),
        checks.total,
        end.runs,
        row.attempts.iter().filter(|end| end.status == Status::Pass).count(),
        names.files.number(file(end)),
        end.tags.iter().take(NAMED).map(|tag| names.tags.number(tag)).collect(),
        end.metrics.tool_calls_by_name.keys().take(NAMED).map(|tool| names.tools.number(tool)).collect(),
        reason(end, REASON_LIMIT),
        departures.get(row.id()).map(Departure::words).unwrap_or_default(),
    )
}

fn separate(at: usize, json: &mut Vec<u8>) {
    if at > 0 {
        json.push(b',');
    }
}

fn put(value: &impl Serialize, json: &mut Vec<u8>) {
    // These are plain texts and numbers, which always have a form in JSON.
    let _ = serde_json::to_writer(json, value);
}

/// Names that repeat.
#[derive(Default)]
struct Names {
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
        let name = cut::short_name(name, NAME_LIMIT);
        if let Some(number) = self.numbers.get(&*name) {
            return *number;
        }
        let number = self.list.len();
        self.list.push(name.clone().into_owned());
        self.numbers.insert(name.into_owned(), number);
        number
    }
}
