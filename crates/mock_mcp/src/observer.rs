//! What a server saw, and who is told of it.

use agentci_plan::FaultKind;
use serde_json::Value;
use tokio::sync::mpsc::UnboundedSender;

/// Something that a server saw.
#[derive(Debug, Clone, PartialEq)]
pub enum ServerEvent {
    /// A tool was called.
    Call {
        /// Which call, from 1.
        number: u64,
        /// The name of the tool, whether there is such a tool or not.
        tool: String,
        /// With what.
        arguments: Value,
    },
    /// A call was answered.
    Answer {
        /// Which call.
        number: u64,
        /// What the tool gave, or complained of.
        outcome: Result<Value, String>,
        /// What went wrong with it on purpose.
        fault: Option<FaultKind>,
    },
    /// Something was asked for that the server does not have.
    Miss {
        /// The tool, the resource or the prompt.
        of: String,
        /// What is missing, in one sentence.
        message: String,
    },
}

/// Who watches a server, and decides what goes wrong with it on purpose.
pub trait ServerWatcher: std::fmt::Debug + Send + Sync {
    /// Is told what the server saw, in the moment it is seen.
    fn saw(&self, seen: ServerEvent);

    /// Is told that a client asks for something, whatever it is.
    fn reached(&self) {}

    /// What goes wrong with the next call of a tool.
    fn fault(&self, _tool: &str) -> Option<FaultKind> {
        None
    }
}

impl ServerWatcher for UnboundedSender<ServerEvent> {
    fn saw(&self, seen: ServerEvent) {
        // Whoever listened may be gone.
        let _ = self.send(seen);
    }
}
