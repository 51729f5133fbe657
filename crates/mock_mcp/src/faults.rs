//! Simulated faults of answers.

use agentci_plan::FaultKind;
use serde_json::Value;

use crate::client::Outgoing;

/// A fault in sending an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SpoiltMessage {
    /// The answer is not valid JSON.
    Malformed,
    /// The answer breaks off.
    Truncated,
}

impl SpoiltMessage {
    /// The effect of a fault on sending an answer, if it has one.
    pub(crate) fn of(fault: &FaultKind) -> Option<Self> {
        match fault {
            FaultKind::Malformed => Some(Self::Malformed),
            FaultKind::Truncated => Some(Self::Truncated),
            FaultKind::Error(_) | FaultKind::Delay(_) | FaultKind::Hang => None,
        }
    }
}

/// The message to send, with a fault if `spoilt` is set.
pub(crate) fn outgoing(message: Value, spoilt: Option<SpoiltMessage>) -> Outgoing {
    match spoilt {
        None => Outgoing::Message(message),
        Some(spoilt) => Outgoing::Spoilt { text: message.to_string(), spoilt },
    }
}

/// The first half of a text; followed by invalid JSON if it is malformed.
pub(crate) fn remains(text: &str, spoilt: SpoiltMessage) -> String {
    let mut half: String = text.chars().take(text.chars().count() / 2).collect();
    if spoilt == SpoiltMessage::Malformed {
        half.push_str("{\"half of a");
    }
    half
}
