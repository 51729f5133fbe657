//! The events of a trace.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::joined::{self, TracedCall};
use crate::{ModelTrouble, Usage};

/// A point in time.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Moment {
    /// Unix time in milliseconds.
    pub unix_ms: u64,
    /// Microseconds since the attempt started, by a monotonic clock.
    pub offset_us: u64,
}

/// An event of an attempt.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    /// The time of the event.
    pub at: Moment,
    /// The number of the turn, from 0.
    pub turn: u32,
    /// What happened.
    pub kind: EventKind,
}

/// What happened. Values are shared with run events.
#[derive(Debug, Clone, PartialEq)]
pub enum EventKind {
    /// A turn started with this input.
    TurnStart(Arc<Value>),
    /// The agent sent text.
    Text(String),
    /// The agent retracts its text of this turn so far, to send it again.
    TextTakenBack,
    /// The agent sent reasoning.
    Reasoning(String),
    /// The agent's state, after it changed.
    State(Arc<Value>),
    /// The agent violated its protocol, but could still be understood.
    Violation(String),
    /// The agent called a tool.
    ToolCall(ToolCall),
    /// The tool answered.
    ToolResult(ToolResult),
    /// The agent called its model: request and answer.
    ModelCall { request: Arc<Value>, response: Arc<Value> },
    /// The scripted model reports a problem with a request, or with its own script.
    ModelTrouble(ModelTrouble),
    /// The agent reported its usage.
    Usage(Usage),
    /// The agent logged something through the protocol.
    Log {
        /// The log level.
        level: String,
        message: String,
        /// Additional data.
        data: Option<Arc<Value>>,
    },
    /// The agent reported an error.
    AgentError {
        message: String,
        /// Additional data.
        data: Option<Arc<Value>>,
    },
    /// The agent's result.
    FinalOutput(Arc<Value>),
    /// Data that the agent sent in addition to its answer. Only checks that forbid something consider it.
    Beside(Arc<Value>),
    /// The reason why the model ended an answer, in the terms of `OpenAI`'s Chat Completions.
    Finish(String),
    /// No stub or recording answered a request.
    Miss {
        /// The tool that was called.
        tool: String,
        /// The message with the request and the closest match.
        message: String,
    },
    /// The turn ended.
    TurnEnd,
}

/// The observer of a tool call or its result. Several may see the same call: [`Joiner`](crate::Joiner) merges their
/// observations.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Observer {
    /// The stub that replaces the tool.
    Stub,
    /// The protocol between the agent and agentci.
    #[default]
    Protocol,
    /// The provider of the model, which ran the tool itself and reports it in the model's answer.
    Provider,
    /// The wire between the agent and its model.
    ModelWire,
}

impl Observer {
    /// All observers: those that see a call run come before those that only hear of it.
    pub const ALL: [Observer; 4] = [Observer::Stub, Observer::Protocol, Observer::Provider, Observer::ModelWire];

    /// Its name in run events.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// The observer with this name.
    pub fn read(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|observer| observer.name() == word)
    }
}

/// A tool call, as one observer saw it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ToolCall {
    /// The id of the call, as the agent assigned it.
    pub call_id: String,
    /// The name of the tool.
    pub name: String,
    /// The arguments.
    pub args: Arc<Value>,
    pub observer: Observer,
    /// When the call started, if its arguments were streamed.
    pub begun: Option<Moment>,
}

impl ToolCall {
    /// A call whose arguments were not streamed.
    pub fn new(call_id: impl Into<String>, name: impl Into<String>, args: Value, observer: Observer) -> Self {
        Self { call_id: call_id.into(), name: name.into(), args: args.into(), observer, begun: None }
    }
}

/// The result of a tool call, as one observer saw it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ToolResult {
    /// The id of the call.
    pub call_id: String,
    /// Whether the tool succeeded.
    pub ok: bool,
    pub result: Arc<Value>,
    /// The error message.
    pub error: Option<String>,
    /// The injected fault: the agent may not have received the result as shown here.
    pub fault: Option<String>,
    pub observer: Observer,
    /// The form by which it was recognised as a refusal: the tool was not run.
    pub refused: Option<String>,
    /// The form by which it was recognised as a failure, if the protocol has no field for one.
    pub recognised: Option<String>,
}

impl ToolResult {
    /// The result of a tool, or its error.
    pub fn new(call_id: impl Into<String>, outcome: Result<Value, String>, observer: Observer) -> Self {
        let ok = outcome.is_ok();
        let (result, error) = outcome.map_or_else(|error| (Value::Null, Some(error)), |result| (result, None));
        Self { call_id: call_id.into(), ok, result: result.into(), error, observer, ..Self::default() }
    }
}

/// What the agent did in one attempt.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Trace {
    events: Vec<Event>,
    /// The events before, if this is the trace of one turn.
    earlier: Vec<Event>,
}

impl Trace {
    /// Appends an event.
    pub fn push(&mut self, event: Event) {
        self.events.push(event);
    }

    /// All events, in order.
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// The events before, if this is the trace of one turn, and all events.
    pub(crate) fn both(&self) -> (&[Event], &[Event]) {
        (&self.earlier, &self.events)
    }

    /// The trace of one turn.
    #[must_use]
    pub fn of_turn(&self, turn: u32) -> Trace {
        let events = self.events.iter().filter(|event| event.turn == turn).cloned().collect();
        // A call may be requested in one turn and made in the next.
        let of_calls = |event: &&Event| {
            matches!(event.kind, EventKind::ToolCall(_) | EventKind::ToolResult(_) | EventKind::ModelCall { .. })
        };
        let earlier = self.events.iter().filter(|event| event.turn < turn).filter(of_calls).cloned().collect();
        Trace { events, earlier }
    }

    /// Whether such a call was made in an earlier turn, if this is the trace of one turn.
    pub fn called_earlier(&self, is: impl Fn(&TracedCall<'_>) -> bool) -> bool {
        let turn = self.turn();
        let earlier = || joined::units(&self.earlier, &self.events).into_iter().filter(|unit| unit.turn < turn);
        !self.earlier.is_empty() && earlier().any(|unit| unit.counts && is(&unit))
    }

    /// Whether only the agent's own protocol reports tool calls.
    pub fn is_protocol_alone(&self) -> bool {
        self.events.iter().all(|event| match &event.kind {
            EventKind::ToolCall(call) => call.observer == Observer::Protocol,
            EventKind::ToolResult(result) => result.observer == Observer::Protocol,
            _ => true,
        })
    }

    /// The tool calls that count, in the order they were made, each followed by its exchanges: calls that the agent
    /// itself reports, and calls that its model requested and that were executed or answered.
    pub fn calls(&self) -> Vec<TracedCall<'_>> {
        let mut calls = self.asked_calls();
        calls.retain(|call| call.counts);
        calls
    }

    /// All tool calls, including those that were only requested, or refused.
    pub fn asked_calls(&self) -> Vec<TracedCall<'_>> {
        let mut units = joined::units(&self.earlier, &self.events);
        if !self.earlier.is_empty() {
            let turn = self.turn();
            units.retain(|unit| unit.turn == turn);
        }
        units
    }

    /// The turn, if this is the trace of one turn.
    fn turn(&self) -> u32 {
        self.events.first().map_or(u32::MAX, |event| event.turn)
    }

    /// The agent's result; the last one if there are several.
    pub fn final_output(&self) -> Option<&Value> {
        self.events.iter().rev().find_map(|event| {
            let EventKind::FinalOutput(output) = &event.kind else { return None };
            Some(&**output)
        })
    }

    /// The total usage.
    pub fn usage(&self) -> Usage {
        let usage = |kind: &EventKind| if let EventKind::Usage(usage) = kind { Some(*usage) } else { None };
        self.events.iter().filter_map(|event| usage(&event.kind)).fold(Usage::default(), Usage::plus)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(id: &str) -> EventKind {
        EventKind::ToolCall(ToolCall { call_id: id.into(), name: "search".into(), ..ToolCall::default() })
    }

    fn result(id: &str, result: i32) -> EventKind {
        let result = Arc::new(result.into());
        EventKind::ToolResult(ToolResult { call_id: id.into(), ok: true, result, ..ToolResult::default() })
    }

    fn trace(kinds: Vec<EventKind>) -> Trace {
        let mut trace = Trace::default();
        for kind in kinds {
            trace.push(Event { at: Moment::default(), turn: 0, kind });
        }
        trace
    }

    #[test]
    fn results_match_calls_out_of_order() {
        let trace = trace(vec![call("a"), call("b"), result("b", 2), result("a", 1), call("c")]);
        let answers: Vec<_> = trace.calls().iter().map(|call| call.result.map(|r| Value::clone(&r.result))).collect();
        assert_eq!(answers, [Some(1.into()), Some(2.into()), None]);
    }

    #[test]
    fn usage_is_summed_and_unknown_stays_unknown() {
        let usage = |tokens_out, cost_usd| EventKind::Usage(Usage { tokens_in: None, tokens_out, cost_usd });
        let total = trace(vec![usage(Some(3), None), usage(Some(4), Some(0.5))]).usage();
        assert_eq!(total, Usage { tokens_in: None, tokens_out: Some(7), cost_usd: Some(0.5) });
    }
}
