//! Passes one event stream to several reports.

use agentci_verdict::{LinePlace, RunEvent};

use crate::{JournalReader, ReportError, Reporter, SharedRuns};

/// Passes every event to every report. A report that fails gets no more events; the others continue.
#[derive(Default)]
pub struct FanOut {
    reporters: Vec<NamedReporter>,
    runs: SharedRuns,
    /// Whether somebody else adds the events to the runs.
    shares: bool,
}

struct NamedReporter {
    name: String,
    reporter: Box<dyn Reporter>,
    error: Option<ReportError>,
}

impl FanOut {
    /// Reports on runs whose events can be read again by the places that [`FanOut::on_stored_event`] gets.
    pub fn stored(reader: JournalReader) -> Self {
        Self { runs: SharedRuns::stored(reader), ..Self::default() }
    }

    /// Reports on runs to which the caller adds each event first.
    pub fn sharing(runs: &SharedRuns) -> Self {
        Self { runs: runs.clone(), shares: true, ..Self::default() }
    }

    /// Adds a report; `name` is used in its errors.
    pub fn add(&mut self, name: impl Into<String>, mut reporter: Box<dyn Reporter>) {
        reporter.share(&self.runs);
        self.reporters.push(NamedReporter { name: name.into(), reporter, error: None });
    }

    /// Passes on an event.
    pub fn on_event(&mut self, event: &RunEvent) {
        self.on_stored_event(event, None);
    }

    /// Passes on an event that is stored at `place`.
    pub fn on_stored_event(&mut self, event: &RunEvent, place: Option<LinePlace>) {
        if !self.shares {
            self.runs.add(event, place);
        }
        self.each(|reporter| reporter.on_event(event));
    }

    /// Passes on the current time while nothing happens.
    pub fn on_tick(&mut self, unix_ms: u64) {
        self.each(|reporter| {
            reporter.on_tick(unix_ms);
            Ok(())
        });
    }

    /// Finishes all reports and returns their errors, in the order they were added. The reports are dropped.
    pub fn finish(&mut self) -> Vec<(String, ReportError)> {
        self.each(|reporter| reporter.finish());
        self.reporters.drain(..).filter_map(|named| Some((named.name, named.error?))).collect()
    }

    fn each(&mut self, mut call: impl FnMut(&mut dyn Reporter) -> Result<(), ReportError>) {
        for named in self.reporters.iter_mut().filter(|named| named.error.is_none()) {
            named.error = call(named.reporter.as_mut()).err();
        }
    }
}
