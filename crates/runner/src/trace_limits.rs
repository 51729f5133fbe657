//! Limits the size of a trace. All events are kept until the attempt is judged, whether they come from the agent, its
//! model, or its stubbed tools.

use agentci_trace::{Event, EventKind, Trace};
use agentci_verdict::{Cause, Finding};
use serde_json::Value;

/// The maximum number of events of an attempt.
const EVENT_LIMIT: u64 = 4_000_000;
/// The maximum size of all texts and values in them, in bytes.
const VOLUME_LIMIT: usize = 512 << 20;

/// Counts events and their size.
#[derive(Debug, Default)]
pub(crate) struct Volume {
    events: u64,
    bytes: usize,
}

impl Volume {
    /// Counts an event; returns a finding if there are too many events or too much data.
    pub(crate) fn count(&mut self, event: &Event) -> Option<Finding> {
        self.events += 1;
        self.bytes = self.bytes.saturating_add(size(&event.kind));
        let message = if self.events > EVENT_LIMIT {
            format!("more than {EVENT_LIMIT} events in one run of the case")
        } else if self.bytes > VOLUME_LIMIT {
            format!("more than {} MiB of data in one run of the case", VOLUME_LIMIT >> 20)
        } else {
            return None;
        };
        let help = "make the agent stop earlier or send less; `limits` of the case can stop it";
        Some(Finding::new(Cause::Limit, message).help(help))
    }
}

/// The approximate size of a trace in bytes.
pub(crate) fn bytes(trace: &Trace) -> u64 {
    trace.events().iter().map(|event| size(&event.kind) as u64).sum()
}

fn size(kind: &EventKind) -> usize {
    match kind {
        EventKind::TurnStart(value)
        | EventKind::State(value)
        | EventKind::FinalOutput(value)
        | EventKind::Beside(value) => weight(value),
        EventKind::Text(text) | EventKind::Reasoning(text) | EventKind::Violation(text) => text.len(),
        EventKind::ToolCall(call) => call.name.len() + weight(&call.args),
        EventKind::ToolResult(result) => weight(&result.result) + result.error.as_ref().map_or(0, String::len),
        EventKind::ModelCall { request, response } => weight(request) + weight(response),
        EventKind::Log { message, data, .. } | EventKind::AgentError { message, data } => {
            message.len() + data.as_deref().map_or(0, weight)
        }
        EventKind::Miss { message, .. } => message.len(),
        EventKind::TextTakenBack
        | EventKind::ModelTrouble(_)
        | EventKind::Usage(_)
        | EventKind::Finish(_)
        | EventKind::TurnEnd => 0,
    }
}

/// The approximate memory of a value. The recursion is safe, since parsed values have limited depth.
fn weight(value: &Value) -> usize {
    const OWN: usize = size_of::<Value>();
    match value {
        Value::String(text) => OWN + text.len(),
        Value::Array(items) => OWN + items.iter().map(weight).sum::<usize>(),
        Value::Object(map) => OWN + map.iter().map(|(key, value)| OWN + key.len() + weight(value)).sum::<usize>(),
        Value::Null | Value::Bool(_) | Value::Number(_) => OWN,
    }
}

#[cfg(test)]
mod tests {
    use agentci_trace::Moment;
    use serde_json::json;

    use super::*;

    /// The maximum number of such events, and the message for one more.
    fn most(kind: EventKind) -> (u64, String) {
        let event = Event { at: Moment::default(), turn: 0, kind };
        let mut volume = Volume::default();
        loop {
            if let Some(finding) = volume.count(&event) {
                assert_eq!(finding.cause, Cause::Limit);
                return (volume.events - 1, finding.message);
            }
        }
    }

    #[test]
    fn stops_attempt_with_too_many_events_or_bytes() {
        let many = "more than 4000000 events in one run of the case";
        assert_eq!(most(EventKind::TurnEnd), (EVENT_LIMIT, many.into()));
        let much = "more than 512 MiB of data in one run of the case";
        assert_eq!(most(EventKind::Text("x".repeat(64 << 20))), (8, much.into()));
        let request = json!({ "messages": ["x".repeat(64 << 20)] });
        assert_eq!(
            most(EventKind::ModelCall { request: request.into(), response: Value::Null.into() }),
            (7, much.into())
        );
        // Small values take more memory than their text.
        assert!(most(EventKind::FinalOutput(json!(vec![1; 100_000]).into())).0 < 1_000);
    }
}
