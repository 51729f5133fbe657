//! Events of another observer of the agent, such as the server that plays its tools.

use agentci_trace::EventKind;
use tokio::sync::mpsc::UnboundedReceiver;

use crate::{StoppedError, TraceSink};

/// The events of an observer, if there is one.
#[derive(Debug, Default)]
pub(crate) struct SeenEvents(pub(crate) Option<UnboundedReceiver<EventKind>>);

impl SeenEvents {
    /// Waits for the next event; forever if there is no observer.
    pub(crate) async fn next(&mut self) -> Option<EventKind> {
        match &mut self.0 {
            Some(seen) => seen.recv().await,
            None => std::future::pending().await,
        }
    }

    /// The next event that has already arrived.
    pub(crate) fn ready(&mut self) -> Option<EventKind> {
        self.0.as_mut()?.try_recv().ok()
    }

    /// Adds the events that were observed so far to the trace.
    pub(crate) fn take_all(&mut self, sink: &mut TraceSink<'_>) -> Result<(), StoppedError> {
        while let Some(kind) = self.ready() {
            sink.push(kind)?;
        }
        Ok(())
    }
}
