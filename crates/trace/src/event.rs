//! The events of a trace.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

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
    pub kind: Kind,
}

/// What happened. Values are shared with whoever tells of it.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Kind {
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

/// Who saw a tool call; one source wins per target, so that nothing counts twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Observer {
    /// The protocol the agent speaks with us.
    Protocol,
    /// The wire between the agent and its model.
    ModelWire,
    /// The stub that stands in for the tool.
    Stub,
}

/// A tool call.
#[derive(Debug, Clone, PartialEq)]
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

/// An answer to a tool call.
#[derive(Debug, Clone, PartialEq)]
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
}

/// What the agent did in one attempt.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Trace {
    events: Vec<Event>,
    /// The tools that were called before, where it is the trace of one turn.
    earlier: Vec<String>,
}

/// A tool call with its answer, if it got one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TracedCall<'t> {
    /// In which turn, from 0.
    pub turn: u32,
    /// The call.
    pub call: &'t ToolCall,
    /// When it was made.
    pub at: Moment,
    /// The answer.
    pub result: Option<&'t ToolResult>,
    /// When it was answered.
    pub answered: Option<Moment>,
}

impl Trace {
    /// How many events there is room for at first: as many as most attempts have.
    const USUAL: usize = 8;

    /// Adds what happened last.
    pub fn push(&mut self, event: Event) {
        if self.events.is_empty() {
            self.events.reserve_exact(Self::USUAL);
        }
        self.events.push(event);
    }

    /// Everything, in order.
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// What happened in one turn alone.
    #[must_use]
    pub fn of_turn(&self, turn: u32) -> Trace {
        let events = self.events.iter().filter(|event| event.turn == turn).cloned().collect();
        let before = self.events.iter().filter(|event| event.turn < turn);
        let earlier = before.filter_map(|event| match &event.kind {
            Kind::ToolCall(call) => Some(call.name.clone()),
            _ => None,
        });
        Trace { events, earlier: earlier.collect() }
    }

    /// Whether such a tool was called in an earlier turn, where this is the trace of one turn.
    pub fn called_earlier(&self, is: impl Fn(&str) -> bool) -> bool {
        self.earlier.iter().any(|name| is(name))
    }

    /// The tool calls in the order they were made. A call id that the agent uses twice is answered in order.
    pub fn calls(&self) -> Vec<TracedCall<'_>> {
        let mut calls: Vec<TracedCall<'_>> = Vec::new();
        for event in &self.events {
            match &event.kind {
                Kind::ToolCall(call) => {
                    let Event { at, turn, .. } = *event;
                    calls.push(TracedCall { turn, call, at, result: None, answered: None });
                }
                Kind::ToolResult(result) => {
                    let open = calls
                        .iter_mut()
                        .rev()
                        .find(|open| open.result.is_none() && open.call.call_id == result.call_id);
                    if let Some(open) = open {
                        open.result = Some(result);
                        open.answered = Some(event.at);
                    }
                }
                _ => {}
            }
        }
        calls
    }

    /// The agent's result, the last one if there are several.
    pub fn final_output(&self) -> Option<&Value> {
        self.events.iter().rev().find_map(|event| match &event.kind {
            Kind::FinalOutput(output) => Some(&**output),
            _ => None,
        })
    }

    /// What it used up in all.
    pub fn usage(&self) -> Usage {
        self.events.iter().fold(Usage::default(), |sum, event| match event.kind {
            Kind::Usage(usage) => sum.plus(usage),
            _ => sum,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(id: &str) -> Kind {
        Kind::ToolCall(ToolCall {
            call_id: id.into(),
            name: "search".into(),
            args: Arc::default(),
            observer: Observer::Protocol,
            begun: None,
        })
    }

    fn result(id: &str, result: i32) -> Kind {
        Kind::ToolResult(ToolResult {
            call_id: id.into(),
            ok: true,
            result: Arc::new(result.into()),
            error: None,
            fault: None,
        })
    }

    fn trace(kinds: Vec<Kind>) -> Trace {
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
        let usage = |tokens_out, cost_usd| Kind::Usage(Usage { tokens_in: None, tokens_out, cost_usd });
        let total = trace(vec![usage(Some(3), None), usage(Some(4), Some(0.5))]).usage();
        assert_eq!(total, Usage { tokens_in: None, tokens_out: Some(7), cost_usd: Some(0.5) });
    }
}
