//! Passes observations of the agent to its driver.

use agentci_trace::EventKind;
use tokio::sync::mpsc::UnboundedSender;

/// Passes observations to the driver, or collects them once the conversation is over.
#[derive(Debug)]
pub(crate) struct ObservationLine {
    driver: Option<UnboundedSender<EventKind>>,
    late: Vec<EventKind>,
}

impl ObservationLine {
    pub(crate) fn new(driver: Option<UnboundedSender<EventKind>>) -> Self {
        Self { driver, late: Vec::new() }
    }

    pub(crate) fn tell(&mut self, kind: EventKind) {
        match &self.driver {
            Some(driver) => drop(driver.send(kind)),
            None => self.late.push(kind),
        }
    }

    /// Collects observations from now on.
    pub(crate) fn end_conversation(&mut self) {
        self.driver = None;
    }

    /// The observations made after the conversation.
    pub(crate) fn take_late(&mut self) -> Vec<EventKind> {
        std::mem::take(&mut self.late)
    }
}
