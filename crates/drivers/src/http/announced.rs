//! Calls of tools that an agent tells of in its answer.
//!
//! Someone else may see the same call: the server that plays the tool, or the scripted model that asked for it. A call must not
//! count twice, and what was seen when it ran says more than what the agent says of it. So announced calls wait until the answer
//! is complete, and enter the trace unless they were seen.

use agentci_trace::{Event, Kind, Moment, Observer, ToolCall};

use crate::{Stopped, TraceSink};

/// The calls and results that the present answer told of, in order.
#[derive(Debug, Default)]
pub(super) struct Announced(Vec<(Moment, Kind)>);

impl Announced {
    pub(super) fn keep(&mut self, at: Moment, kind: Kind) {
        self.0.push((at, kind));
    }

    /// Writes down what nobody else saw.
    pub(super) fn tell(&mut self, sink: &mut TraceSink<'_>) -> Result<(), Stopped> {
        let kept = std::mem::take(&mut self.0);
        if kept.is_empty() {
            return Ok(());
        }
        let mut seen = seen_this_turn(sink.trace().events());
        let mut left_out = Vec::new();
        for (at, kind) in kept {
            match &kind {
                Kind::ToolCall(call) => {
                    if let Some(same) = seen.iter().position(|seen| is_same(seen, call)) {
                        seen.remove(same);
                        left_out.push(call.call_id.clone());
                        continue;
                    }
                }
                Kind::ToolResult(result) if left_out.contains(&result.call_id) => continue,
                _ => {}
            }
            sink.push_at(at, kind)?;
        }
        Ok(())
    }
}

/// The calls that someone else saw since the turn began.
fn seen_this_turn(events: &[Event]) -> Vec<ToolCall> {
    let begun = events.iter().rposition(|event| matches!(event.kind, Kind::TurnStart(_))).unwrap_or_default();
    let seen = events[begun..].iter().filter_map(|event| match &event.kind {
        Kind::ToolCall(call) if call.observer != Observer::Protocol => Some(call.clone()),
        _ => None,
    });
    seen.collect()
}

/// Whether a call that was seen is the one that the agent tells of. The server of a tool does not know the id of a call.
fn is_same(seen: &ToolCall, told: &ToolCall) -> bool {
    seen.call_id == told.call_id || (seen.observer == Observer::Stub && seen.name == told.name)
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use serde_json::{Value, json};

    use super::*;
    use crate::Clock;

    fn call(id: &str, name: &str, amount: u32, observer: Observer) -> Kind {
        let args = json!({ "amount": amount }).into();
        Kind::ToolCall(ToolCall { call_id: id.into(), name: name.into(), args, observer, begun: None })
    }

    #[test]
    fn a_call_that_was_seen_counts_once_and_as_it_ran() {
        let mut sink = TraceSink::new(Clock::start(), |_| ControlFlow::Continue(()));
        sink.push(call("0", "pay", 1, Observer::Stub)).unwrap();
        sink.push(Kind::TurnStart(Value::Null.into())).unwrap();
        sink.push(call("1", "pay", 200, Observer::Stub)).unwrap();
        sink.push(call("b", "find", 7, Observer::ModelWire)).unwrap();
        let mut announced = Announced::default();
        for told in [
            call("a", "pay", 20, Observer::Protocol),
            call("b", "find", 7, Observer::Protocol),
            call("c", "pay", 30, Observer::Protocol),
        ] {
            announced.keep(Moment::default(), told);
        }
        announced.tell(&mut sink).unwrap();
        let trace = sink.into_trace();
        let calls: Vec<String> =
            trace.calls().iter().map(|call| format!("{} {}", call.call.name, call.call.args["amount"])).collect();
        // The second `pay` was told and not seen.
        assert_eq!(calls, ["pay 1", "pay 200", "find 7", "pay 30"]);
    }
}
