//! The data that reports keep about a run: its facts, its cases, its end.

use std::collections::BTreeSet;
use std::sync::Arc;

use agentci_verdict::{Body, GateReport, LinePlace, RunEnd, RunEvent, RunStart};

use crate::{JournalReader, RunRows};

/// A run, as far as events were received.
#[derive(Debug, Default)]
pub struct ReportedRun {
    /// The name of the suite.
    pub(crate) suite: Arc<str>,
    /// Facts about the run as a whole.
    pub(crate) start: RunStart,
    /// One row per case.
    pub(crate) rows: RunRows,
    /// The position of the case that the last event completed, if any.
    pub(crate) completed: Option<usize>,
    /// The time of the last event, in Unix milliseconds.
    pub(crate) last_seen: u64,
    /// The gates and the comparison with the baseline, if it has any.
    pub(crate) gates: Option<Box<GateReport>>,
    /// Cases that have started but not ended.
    under_way: BTreeSet<Arc<str>>,
    first_seen: Option<u64>,
    end: Option<RunEnd>,
}

impl ReportedRun {
    /// A run whose events can be read again, if there is a reader for them.
    pub(crate) fn read_by(reader: Option<JournalReader>) -> Self {
        Self { rows: RunRows::read_by(reader), ..Self::default() }
    }

    /// Adds an event, which is stored at `place`.
    pub(crate) fn add(&mut self, event: &RunEvent, place: Option<LinePlace>) {
        self.first_seen.get_or_insert(event.timestamp);
        self.last_seen = event.timestamp;
        if self.suite != event.suite {
            self.suite = Arc::clone(&event.suite);
        }
        match &event.body {
            Body::RunStart(start) => self.start.clone_from(start),
            Body::Gates(report) => self.gates = Some(report.clone()),
            Body::RunEnd(end) => self.end = Some(end.clone()),
            Body::TaskStart(_) => self.under_way.extend(event.case_id.clone()),
            Body::CaseEnd(_) => {
                event.case_id.as_ref().map(|id| self.under_way.remove(id));
            }
            _ => {}
        }
        self.completed = self.rows.add(event, place);
    }

    /// The time of the first event, in Unix milliseconds.
    pub(crate) fn begun(&self) -> u64 {
        self.first_seen.unwrap_or_default()
    }

    /// Whether its end is missing: it was killed, or its record is truncated.
    pub(crate) fn incomplete(&self) -> bool {
        self.end.is_none()
    }

    /// The cases that were running when its record ended.
    pub(crate) fn under_way(&self) -> impl ExactSizeIterator<Item = &str> {
        self.under_way.iter().map(|id| &**id)
    }

    /// Whether something that should have been run could not be loaded.
    pub(crate) fn lacks_something(&self) -> bool {
        !self.start.not_loaded.is_empty()
    }

    /// Whether a case was played from a recording although an agent is required.
    pub(crate) fn lacks_agent(&self) -> bool {
        self.start.require_agent && self.rows.kept().any(|row| row.lacks_agent().is_some())
    }

    /// Whether a gate failed.
    pub(crate) fn gates_failed(&self) -> bool {
        self.gates.as_ref().is_some_and(|report| !report.passed())
    }

    /// Whether cases that did not pass fail the run: not if its gates decide and none failed.
    pub(crate) fn held_to_cases(&self) -> bool {
        !self.gates.as_ref().is_some_and(|report| report.forgiven)
    }

    /// Whether cases of a shard did not pass, and the verdict about them is left to the merge.
    pub(crate) fn pending(&self) -> bool {
        self.gates.as_ref().is_some_and(|report| report.pending)
    }

    /// The end of the run. A run whose end is missing was killed, which counts as an interruption.
    pub(crate) fn end(&self) -> RunEnd {
        self.end.clone().unwrap_or_else(|| RunEnd {
            wall_ms: self.last_seen.saturating_sub(self.first_seen.unwrap_or_default()),
            wall_us: 0,
            interrupted: true,
            not_run: self.start.cases_total.saturating_sub(self.rows.len()),
            ..RunEnd::default()
        })
    }
}
