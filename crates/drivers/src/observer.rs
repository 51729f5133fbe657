//! What someone else sees of the agent while it answers, such as the server that plays its tools.

use agentci_trace::EventKind;
use tokio::sync::mpsc::UnboundedReceiver;

use crate::{Stopped, TraceSink};

/// What is seen, as it comes; nothing where nobody looks.
#[derive(Debug, Default)]
pub(crate) struct SeenEvents(pub(crate) Option<UnboundedReceiver<EventKind>>);

impl SeenEvents {
    /// Waits for what is seen next, for ever if there is nobody who sees anything.
    pub(crate) async fn next(&mut self) -> Option<EventKind> {
        match &mut self.0 {
            Some(seen) => seen.recv().await,
            None => std::future::pending().await,
        }
    }

    /// What was seen and not taken yet, if anything.
    pub(crate) fn ready(&mut self) -> Option<EventKind> {
        self.0.as_mut()?.try_recv().ok()
    }

    /// Takes what was seen until now into the trace.
    pub(crate) fn take_all(&mut self, sink: &mut TraceSink<'_>) -> Result<(), Stopped> {
        while let Some(kind) = self.ready() {
            sink.push(kind)?;
        }
        Ok(())
    }
}
