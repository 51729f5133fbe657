//! Answers that are spoilt on purpose.

use agentci_plan::FaultKind;
use serde_json::Value;

use crate::client::ToClient;

/// How an answer is spoilt on its way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SpoiltMessage {
    /// It is not JSON.
    Malformed,
    /// It breaks off.
    Truncated,
}

impl SpoiltMessage {
    /// What a fault does to an answer that is sent.
    pub(crate) fn of(fault: &FaultKind) -> Option<Self> {
        match fault {
            FaultKind::Malformed => Some(Self::Malformed),
            FaultKind::Truncated => Some(Self::Truncated),
            FaultKind::Error(_) | FaultKind::Delay(_) | FaultKind::Hang => None,
        }
    }
}

/// A message on its way, spoilt if it is to be.
pub(crate) fn outgoing(message: Value, spoilt: Option<SpoiltMessage>) -> ToClient {
    match spoilt {
        None => ToClient::Message(message),
        Some(spoilt) => ToClient::Spoilt { text: message.to_string(), spoilt },
    }
}

/// What is left of a text: its half, and of one that is not JSON something that cannot follow.
pub(crate) fn remains(text: &str, spoilt: SpoiltMessage) -> String {
    let mut half: String = text.chars().take(text.chars().count() / 2).collect();
    if spoilt == SpoiltMessage::Malformed {
        half.push_str("{\"half of a");
    }
    half
}
