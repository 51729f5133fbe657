//! The events of a server, and their watcher.

use agentci_plan::FaultKind;
use serde_json::Value;
use tokio::sync::mpsc::UnboundedSender;

#[derive(Debug, Clone, PartialEq)]
pub enum ServerEvent {
    /// A tool was called.
    Call {
        /// The number of the call, from 1.
        number: u64,
        /// The requested name, even if there is no such tool.
        tool: String,
        /// The arguments of the call.
        arguments: Value,
    },
    /// A call was answered.
    Answer {
        /// The number of the call.
        number: u64,
        /// The result, or the error message.
        outcome: Result<Value, String>,
        /// The fault that was injected.
        fault: Option<FaultKind>,
    },
    /// The client requested something that the server does not have.
    Miss {
        /// The tool, resource or prompt.
        of: String,
        /// The description of the miss.
        message: String,
    },
}

/// Receives the events of a server, and decides which faults to inject.
pub trait ServerWatcher: std::fmt::Debug + Send + Sync {
    /// Called for each event, as soon as it happens.
    fn saw(&self, seen: ServerEvent);

    /// Called for every request of a client.
    fn reached(&self) {}

    /// The fault to inject into the next call of a tool.
    fn fault(&self, _tool: &str) -> Option<FaultKind> {
        None
    }
}

impl ServerWatcher for UnboundedSender<ServerEvent> {
    fn saw(&self, seen: ServerEvent) {
        // The receiver may be gone.
        let _ = self.send(seen);
    }
}
