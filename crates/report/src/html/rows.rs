//! The case table, as the page's script gets it: a list a case, with names that repeat written once.
//!
//! ```json
//! {"files":["cases/t2.yaml"],"tags":["money"],"tools":["search_docs"],"baseline":true,
//!  "cases":[[2,"t2","fail",12,2,1,3,1,0,0,[0],[0],"check `must_call` did not hold","was pass"]],"blocks":[0]}
//! ```

use std::collections::BTreeMap;

use agentci_verdict::{Row, Status};
use serde::Serialize;

use super::baseline::Departures;
use super::case::reason;
use super::detail::file;
use super::gathered::Gathered;
use crate::cut;
use crate::run::Run;

/// The longest name that is written out.
const NAME_LIMIT: usize = 200;
/// The most of the words that say why a case did not pass.
const REASON_LIMIT: usize = 160;
/// How many tags and tools of a case are named.
const NAMED: usize = 12;

/// The table.
#[derive(Serialize)]
pub(super) struct Table {
    files: Vec<String>,
    tags: Vec<String>,
    tools: Vec<String>,
    /// Whether the run was compared with a baseline.
    baseline: bool,
    cases: Vec<Case>,
    /// For each case the block with its details, or -1 where there was no room for them.
    pub(super) blocks: Vec<i64>,
}

/// number, id, status, `wall_ms`, tool calls, checks that held, checks, runs, runs that passed, file, tags, tools, why, baseline
#[derive(Serialize)]
struct Case(
    usize,
    String,
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

impl Table {
    pub(super) fn of(run: &Run, gathered: &Gathered, departures: &Departures<'_>) -> Self {
        let (mut files, mut tags, mut tools) = (Names::default(), Names::default(), Names::default());
        let mut case = |row: &Row| {
            let end = row.decisive();
            let checks = end.assertions;
            Case(
                end.index + 1,
                cut::name(&row.id, NAME_LIMIT),
                end.status.name(),
                row.wall_ms(),
                end.metrics.tool_calls,
                gathered.held(end.index).unwrap_or(checks.total.saturating_sub(checks.failed)),
                checks.total,
                end.runs,
                row.attempts.iter().filter(|end| end.status == Status::Pass).count(),
                files.number(file(end)),
                end.tags.iter().take(NAMED).map(|tag| tags.number(tag)).collect(),
                end.metrics.tool_calls_by_name.keys().take(NAMED).map(|tool| tools.number(tool)).collect(),
                reason(end, REASON_LIMIT),
                departures.get(&row.id).map(super::baseline::Departure::words).unwrap_or_default(),
            )
        };
        let cases = run.rows.iter().map(&mut case).collect();
        let compared =
            run.gates.as_ref().is_some_and(|report| report.baseline_path.is_some() && report.problem.is_none());
        Self { files: files.list, tags: tags.list, tools: tools.list, baseline: compared, cases, blocks: Vec::new() }
    }
}

/// Names, each with a number.
#[derive(Default)]
struct Names {
    list: Vec<String>,
    numbers: BTreeMap<String, usize>,
}

impl Names {
    fn number(&mut self, name: &str) -> usize {
        let name = cut::name(name, NAME_LIMIT);
        if let Some(number) = self.numbers.get(&name) {
            return *number;
        }
        let number = self.list.len();
        self.list.push(name.clone());
        self.numbers.insert(name, number);
        number
    }
}
