//! The runs of an event stream, collected once for all of its reports.

use std::cell::{Ref, RefCell};
use std::rc::Rc;

use agentci_verdict::{Body, LinePlace, RunEvent};

use crate::{JournalReader, ReportedRun};

/// The runs of an event stream. Clones share them: one place adds the events, and all reports read the runs.
#[derive(Debug, Clone, Default)]
pub struct SharedRuns(Rc<RefCell<CollectedRuns>>);

#[derive(Debug, Default)]
struct CollectedRuns {
    runs: Vec<ReportedRun>,
    reader: Option<JournalReader>,
}

impl SharedRuns {
    /// Runs whose events can be read again, so that most rows need not stay in memory.
    pub fn stored(reader: JournalReader) -> Self {
        Self(Rc::new(RefCell::new(CollectedRuns { runs: Vec::new(), reader: Some(reader) })))
    }

    /// Adds an event, which is stored at `place`; a `run_start` event starts a new run.
    pub fn add(&self, event: &RunEvent, place: Option<LinePlace>) {
        let CollectedRuns { runs, reader } = &mut *self.0.borrow_mut();
        if runs.is_empty() || matches!(event.body, Body::RunStart(_)) {
            runs.push(ReportedRun::read_by(reader.clone()));
        }
        if let Some(run) = runs.last_mut() {
            run.add(event, place);
        }
    }

    /// All runs so far. No events can be added while they are borrowed.
    pub(crate) fn all(&self) -> Ref<'_, [ReportedRun]> {
        Ref::map(self.0.borrow(), |collected| &collected.runs[..])
    }

    /// A run, by its number from 0.
    pub(crate) fn get(&self, number: usize) -> Option<Ref<'_, ReportedRun>> {
        Ref::filter_map(self.0.borrow(), |collected| collected.runs.get(number)).ok()
    }
}

/// The runs as one report sees them: those that it shares with others, or else its own.
#[derive(Debug, Default)]
pub(crate) struct RunsInView {
    runs: SharedRuns,
    shared: bool,
}

impl RunsInView {
    pub(crate) fn share(&mut self, runs: &SharedRuns) {
        *self = Self { runs: runs.clone(), shared: true };
    }

    /// Adds an event that the report received, unless its runs are shared; returns the number of its run.
    pub(crate) fn add(&mut self, event: &RunEvent) -> usize {
        if !self.shared {
            self.runs.add(event, None);
        }
        self.runs.all().len().saturating_sub(1)
    }

    pub(crate) fn all(&self) -> Ref<'_, [ReportedRun]> {
        self.runs.all()
    }

    pub(crate) fn get(&self, number: usize) -> Option<Ref<'_, ReportedRun>> {
        self.runs.get(number)
    }
}
