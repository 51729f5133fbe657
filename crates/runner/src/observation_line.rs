//! The line to the driver of an agent, for those who see what the agent does without being told by it.

use agentci_trace::EventKind;
use tokio::sync::mpsc::UnboundedSender;

/// Passes on what is seen: to the driver, and into a list once the conversation is over.
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

    /// Keeps what is seen from now on.
    pub(crate) fn end_conversation(&mut self) {
        self.driver = None;
    }

    /// What was seen when the conversation was over.
    pub(crate) fn take_late(&mut self) -> Vec<EventKind> {
        std::mem::take(&mut self.late)
    }
}
