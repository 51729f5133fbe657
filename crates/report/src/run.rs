//! What the reports keep of a run: its facts, its cases, its end.

use std::collections::BTreeSet;
use std::sync::Arc;

use agentci_verdict::{Body, GateReport, Rows, RunEnd, RunEvent, RunStart};

/// A run as far as it was seen.
#[derive(Debug, Default)]
pub(crate) struct ReportedRun {
    /// The name of the suite.
    pub(crate) suite: Arc<str>,
    /// Facts about the run as a whole.
    pub(crate) start: RunStart,
    /// One row a case.
    pub(crate) rows: Rows,
    /// When the last event came, in Unix milliseconds.
    pub(crate) last_seen: u64,
    /// How it did beside its baseline, if it has gates.
    pub(crate) gates: Option<Box<GateReport>>,
    /// Cases that have begun and not ended.
    under_way: BTreeSet<Arc<str>>,
    first_seen: Option<u64>,
    end: Option<RunEnd>,
}

/// Runs one after another, for reports that hold several.
#[derive(Debug, Default)]
pub(crate) struct Runs(pub(crate) Vec<ReportedRun>);

impl Runs {
    /// Takes note of an event; the start of a run begins another.
    pub(crate) fn add(&mut self, event: &RunEvent) {
        if self.0.is_empty() || matches!(event.body, Body::RunStart(_)) {
            self.0.push(ReportedRun::default());
        }
        if let Some(run) = self.0.last_mut() {
            run.add(event);
        }
    }
}

impl ReportedRun {
    /// Takes note of an event; gives the position of the case that it completed, if it completed one.
    pub(crate) fn add(&mut self, event: &RunEvent) -> Option<usize> {
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
        self.rows.add(event)
    }

    /// When the first event came, in Unix milliseconds.
    pub(crate) fn begun(&self) -> u64 {
        self.first_seen.unwrap_or_default()
    }

    /// Whether its end is missing: it was killed, or its record is cut off.
    pub(crate) fn incomplete(&self) -> bool {
        self.end.is_none()
    }

    /// The cases that were being run when its record ends.
    pub(crate) fn under_way(&self) -> impl ExactSizeIterator<Item = &str> {
        self.under_way.iter().map(|id| &**id)
    }

    /// Whether something that was to be run with it could not be loaded.
    pub(crate) fn lacks_something(&self) -> bool {
        !self.start.not_loaded.is_empty()
    }

    /// Whether a case was played although an agent was asked for.
    pub(crate) fn lacks_agent(&self) -> bool {
        self.start.require_agent && self.rows.iter().any(|row| row.lacks_agent().is_some())
    }

    /// Whether a gate keeps it from getting through.
    pub(crate) fn gates_failed(&self) -> bool {
        self.gates.as_ref().is_some_and(|report| !report.passed())
    }

    /// Whether cases that did not pass are held against it: they are not where its gates decide, and none failed.
    pub(crate) fn held_to_cases(&self) -> bool {
        !self.gates.as_ref().is_some_and(|report| report.forgiven)
    }

    /// How it ended. A run whose end is missing was killed, which counts as an interruption.
    pub(crate) fn end(&self) -> RunEnd {
        self.end.clone().unwrap_or_else(|| RunEnd {
            wall_ms: self.last_seen.saturating_sub(self.first_seen.unwrap_or_default()),
            wall_us: 0,
            interrupted: true,
            not_run: self.start.cases_total.saturating_sub(self.rows.len()),
            stability: None,
        })
    }
}
