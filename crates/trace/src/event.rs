//! The events of a trace.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::joined::{self, TracedCall};
use crate::{ModelTrouble, Usage};

/// When something happened.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Moment {
    /// Milliseconds of Unix time.
    pub unix_ms: u64,
    /// Microseconds since the attempt began, by a clock that never goes back.
    pub offset_us: u64,
}

/// Something that happened while the agent was at work.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    /// When.
    pub at: Moment,
    /// In which turn, from 0.
    pub turn: u32,
    /// What.
    pub kind: EventKind,
}

/// What happened. Values are shared with whoever tells of it.
#[derive(Debug, Clone, PartialEq)]
pub enum EventKind {
    /// A turn was begun with this.
    TurnStart(Arc<Value>),
    /// The agent said something.
    Text(String),
    /// The agent takes back what it said in this turn so far, to say it anew.
    TextTakenBack,
    /// The agent thought something.
    Reasoning(String),
    /// The agent's state, after it changed.
    State(Arc<Value>),
    /// The agent broke a rule of the protocol it speaks, and could be understood all the same.
    Violation(String),
    /// The agent called a tool.
    ToolCall(ToolCall),
    /// The tool answered.
    ToolResult(ToolResult),
    /// The agent called its model: request and answer.
    ModelCall {
        /// What was asked.
        request: Arc<Value>,
        /// What was answered.
        response: Arc<Value>,
    },
    /// The scripted model complains of a request, or of its own script.
    ModelTrouble(ModelTrouble),
    /// The agent says what it used up.
    Usage(Usage),
    /// The agent logged something through the protocol.
    Log {
        /// How grave.
        level: String,
        /// The words.
        message: String,
        /// Anything beside them.
        data: Option<Arc<Value>>,
    },
    /// The agent gave up.
    AgentError {
        /// Its words.
        message: String,
        /// Anything beside them.
        data: Option<Arc<Value>>,
    },
    /// The agent's result.
    FinalOutput(Arc<Value>),
    /// Data that the agent put out beside its answer. Only prohibitions look at it.
    Beside(Arc<Value>),
    /// The agent says why its model ended an answer, in the words of `OpenAI`'s Chat Completions.
    Finish(String),
    /// The world had no answer.
    Miss {
        /// The tool that was called.
        tool: String,
        /// What was looked for and what came closest.
        message: String,
    },
    /// The turn is over.
    TurnEnd,
}

/// Who saw a tool call or its result. Several may see the same call: [`Joiner`](crate::Joiner) makes one of what they tell.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Observer {
    /// The stub that stands in for the tool.
    Stub,
    /// The protocol the agent speaks with us.
    #[default]
    Protocol,
    /// The provider of the model, which ran the tool itself and says so in the model's answer.
    Provider,
    /// The wire between the agent and its model.
    ModelWire,
}

impl Observer {
    /// All of them: who saw a call run comes before who only heard of it.
    pub const ALL: [Observer; 4] = [Observer::Stub, Observer::Protocol, Observer::Provider, Observer::ModelWire];

    /// Its word in a run's events.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// Who goes by this word.
    pub fn read(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|observer| observer.name() == word)
    }
}

/// A tool call, as one observer saw it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ToolCall {
    /// Which call, in the agent's numbering.
    pub call_id: String,
    /// The tool.
    pub name: String,
    /// Its arguments.
    pub args: Arc<Value>,
    /// Who saw it.
    pub observer: Observer,
    /// When the call was begun, where its arguments took time to arrive.
    pub begun: Option<Moment>,
}

impl ToolCall {
    /// A call whose arguments came at once.
    pub fn new(call_id: impl Into<String>, name: impl Into<String>, args: Value, observer: Observer) -> Self {
        Self { call_id: call_id.into(), name: name.into(), args: args.into(), observer, begun: None }
    }
}

/// An answer to a tool call, as one observer saw it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ToolResult {
    /// Which call it answers.
    pub call_id: String,
    /// Whether the tool did its work.
    pub ok: bool,
    /// What it gave.
    pub result: Arc<Value>,
    /// What it complained of.
    pub error: Option<String>,
    /// What went wrong with it on purpose: the agent may not have got it as it stands here.
    pub fault: Option<String>,
    /// Who saw it.
    pub observer: Observer,
    /// The form of a refusal that it was recognised by: the tool was not run.
    pub refused: Option<String>,
    /// The form of a failure that it was recognised by, where the protocol has no word for one.
    pub recognised: Option<String>,
}

impl ToolResult {
    /// What a tool gave, or what it complained of.
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
    /// What happened before, where it is the trace of one turn.
    earlier: Vec<Event>,
}

impl Trace {
    /// Adds what happened last.
    pub fn push(&mut self, event: Event) {
        self.events.push(event);
    }

    /// Everything, in order.
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// What happened before, where it is the trace of one turn, and everything.
    pub(crate) fn both(&self) -> (&[Event], &[Event]) {
        (&self.earlier, &self.events)
    }

    /// What happened in one turn alone.
    #[must_use]
    pub fn of_turn(&self, turn: u32) -> Trace {
        let events = self.events.iter().filter(|event| event.turn == turn).cloned().collect();
        // A call may be asked for in one turn and made in the next.
        let of_calls = |event: &&Event| {
            matches!(event.kind, EventKind::ToolCall(_) | EventKind::ToolResult(_) | EventKind::ModelCall { .. })
        };
        let earlier = self.events.iter().filter(|event| event.turn < turn).filter(of_calls).cloned().collect();
        Trace { events, earlier }
    }

    /// Whether such a tool was called in an earlier turn, where this is the trace of one turn.
    pub fn called_earlier(&self, is: impl Fn(&TracedCall<'_>) -> bool) -> bool {
        let turn = self.turn();
        let earlier = || joined::units(&self.earlier, &self.events).into_iter().filter(|unit| unit.turn < turn);
        !self.earlier.is_empty() && earlier().any(|unit| unit.counts && is(&unit))
    }

    /// Whether nobody but the agent's own protocol reports tool calls.
    pub fn is_protocol_alone(&self) -> bool {
        self.events.iter().all(|event| match &event.kind {
            EventKind::ToolCall(call) => call.observer == Observer::Protocol,
            EventKind::ToolResult(result) => result.observer == Observer::Protocol,
            _ => true,
        })
    }

    /// The tool calls that count as made, in the order they were made, each with its exchanges after it: what the agent itself
    /// tells of, and of what its model asked for, what was executed or answered.
    pub fn calls(&self) -> Vec<TracedCall<'_>> {
        let mut calls = self.asked_calls();
        calls.retain(|call| call.counts);
        calls
    }

    /// The same with the calls that were only asked for, or refused.
    pub fn asked_calls(&self) -> Vec<TracedCall<'_>> {
        let mut units = joined::units(&self.earlier, &self.events);
        if !self.earlier.is_empty() {
            let turn = self.turn();
            units.retain(|unit| unit.turn == turn);
        }
        units
    }

    /// The turn that this is the trace of, where it is the trace of one.
    fn turn(&self) -> u32 {
        self.events.first().map_or(u32::MAX, |event| event.turn)
    }

    /// The agent's result, the last one if there are several.
    pub fn final_output(&self) -> Option<&Value> {
        self.events.iter().rev().find_map(|event| {
            let EventKind::FinalOutput(output) = &event.kind else { return None };
            Some(&**output)
        })
    }

    /// What it used up in all.
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
    fn answers_find_their_calls_even_out_of_order() {
        let trace = trace(vec![call("a"), call("b"), result("b", 2), result("a", 1), call("c")]);
        let answers: Vec<_> = trace.calls().iter().map(|call| call.result.map(|r| Value::clone(&r.result))).collect();
        assert_eq!(answers, [Some(1.into()), Some(2.into()), None]);
    }

    #[test]
    fn usage_adds_up_and_unknown_stays_unknown() {
        let usage = |tokens_out, cost_usd| EventKind::Usage(Usage { tokens_in: None, tokens_out, cost_usd });
        let total = trace(vec![usage(Some(3), None), usage(Some(4), Some(0.5))]).usage();
        assert_eq!(total, Usage { tokens_in: None, tokens_out: Some(7), cost_usd: Some(0.5) });
    }
}
