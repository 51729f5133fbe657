//! How much happens in an attempt. All of it is kept until the attempt is judged, whoever tells of it: the agent, its model, or
//! what stands in for its tools.

use agentci_trace::{Event, EventKind, Trace};
use agentci_verdict::{Cause, Finding};
use serde_json::Value;

/// The most events of an attempt.
const EVENT_LIMIT: u64 = 4_000_000;
/// The most bytes of texts and values in them.
const VOLUME_LIMIT: usize = 512 << 20;

/// Counts what happens and says when it is too much.
#[derive(Debug, Default)]
pub(crate) struct Volume {
    events: u64,
    bytes: usize,
}

impl Volume {
    /// Takes note of an event; the finding is that it was one too many, or too large.
    pub(crate) fn count(&mut self, event: &Event) -> Option<Finding> {
        self.events += 1;
        self.bytes = self.bytes.saturating_add(size(&event.kind));
        let message = if self.events > EVENT_LIMIT {
            format!("more than {EVENT_LIMIT} things happened in one run of the case")
        } else if self.bytes > VOLUME_LIMIT {
            format!("more than {} MiB passed in one run of the case", VOLUME_LIMIT >> 20)
        } else {
            return None;
        };
        let help = "let the agent stop sooner, or send less; `limits` of the case can say when";
        Some(Finding::new(Cause::Limit, message).help(help))
    }
}

/// About how many bytes a trace has.
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

/// About how much room a value takes; none that is read is deep.
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

    /// How many such events there may be, and what is said of one more.
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
    fn an_attempt_in_which_too_much_happens_is_stopped() {
        let many = "more than 4000000 things happened in one run of the case";
        assert_eq!(most(EventKind::TurnEnd), (EVENT_LIMIT, many.into()));
        let much = "more than 512 MiB passed in one run of the case";
        assert_eq!(most(EventKind::Text("x".repeat(64 << 20))), (8, much.into()));
        let request = json!({ "messages": ["x".repeat(64 << 20)] });
        assert_eq!(
            most(EventKind::ModelCall { request: request.into(), response: Value::Null.into() }),
            (7, much.into())
        );
        // Small values take more room than their letters.
        assert!(most(EventKind::FinalOutput(json!(vec![1; 100_000]).into())).0 < 1_000);
    }
}
