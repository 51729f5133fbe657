//! Merges the observations of several observers into one call, event by event.

use std::cmp::Reverse;
use std::collections::HashMap;

use serde_json::Value;

use super::arguments::differences;
use super::conversation::{AnsweredModelCall, ids};
use super::name::same_tool;
use crate::{Event, EventKind, Observer, ToolCall, ToolResult, same_value};

/// What an event changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallChange {
    /// A call counts from now on.
    Counts(usize),
    /// A call that counted turned out to be refused.
    Refused(usize),
    /// A call failed.
    Failed(usize),
    /// An exchange during a call failed; the second number is that of the exchange.
    PartFailed(usize, usize),
}

/// What one observer reported about a call.
#[derive(Debug, Clone)]
pub(super) struct Observation<T> {
    /// The number of the event.
    pub(super) event: usize,
    pub(super) turn: u32,
    pub(super) what: T,
}

/// One optional observation per observer.
pub(super) type ByObserver<T> = [Option<Observation<T>>; Observer::ALL.len()];

/// An exchange with a stub during a call.
#[derive(Debug, Clone)]
pub(super) struct StubExchange {
    pub(super) call: Observation<ToolCall>,
    pub(super) result: Option<Observation<ResultOutcome>>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct ResultOutcome {
    pub(super) ok: bool,
    pub(super) refused: bool,
}

/// A call with all observations.
#[derive(Debug, Clone, Default)]
pub(super) struct Joined {
    pub(super) calls: ByObserver<ToolCall>,
    pub(super) results: ByObserver<ResultOutcome>,
    pub(super) parts: Vec<StubExchange>,
    /// The turn since which it counts.
    pub(super) counted: Option<u32>,
    /// Whether its conversation continued without its result.
    pub(super) went_on: bool,
    /// The number of the model's answer that requested it.
    answer: usize,
    failed: bool,
}

impl Joined {
    fn by(&self, observer: Observer) -> Option<&Observation<ToolCall>> {
        self.calls[observer as usize].as_ref()
    }

    /// The call as executed if that was seen, else as reported, else as requested.
    pub(super) fn decisive(&self) -> Option<&Observation<ToolCall>> {
        self.calls.iter().flatten().next()
    }

    /// The number of the first event about it.
    pub(super) fn first_event(&self) -> Option<usize> {
        self.calls.iter().flatten().map(|told| told.event).min()
    }

    pub(super) fn is_refused(&self) -> bool {
        self.results.iter().flatten().any(|result| result.what.refused)
    }

    /// Whether it was seen to run: by a stub, by a provider, or by agentci through the protocol, which reported the
    /// call and its result.
    pub(super) fn is_executed(&self) -> bool {
        let told = self.results[Observer::Protocol as usize].as_ref().is_some_and(|result| !result.what.refused);
        self.by(Observer::Stub).is_some() || self.by(Observer::Provider).is_some() || told
    }

    /// Whether its result was sent to the model or to agentci.
    pub(super) fn is_answered(&self) -> bool {
        let stub_alone = self.by(Observer::ModelWire).is_none();
        Observer::ALL.into_iter().any(|observer| {
            let result = self.results[observer as usize].as_ref();
            (observer != Observer::Stub || stub_alone) && result.is_some_and(|result| !result.what.refused)
        })
    }

    /// Whether the agent made the call, rather than only its model requesting it.
    fn is_act(&self) -> bool {
        if self.by(Observer::Stub).is_some() || self.by(Observer::Provider).is_some() {
            return true;
        }
        !self.is_refused() && (self.by(Observer::Protocol).is_some() || self.is_answered())
    }
}

/// How well executed arguments match the requested ones; added arguments do not count as a difference.
fn nearness_of(requested: &Value, executed: &Value) -> u8 {
    if same_value(requested, executed) { 2 } else { u8::from(differences(requested, executed).is_empty()) }
}

/// Merges the observations of several observers into one call, event by event.
#[derive(Debug, Default)]
pub struct Joiner {
    pub(super) calls: Vec<Joined>,
    /// The number of events so far.
    events: usize,
    /// The calls by observer and id that have no result from that observer yet; the latest last.
    by_id: HashMap<(Observer, String), Vec<usize>>,
    /// The calls and exchanges by the id that a stub assigned.
    by_stub: HashMap<String, (usize, Option<usize>)>,
    /// Calls that were requested or reported but not answered: a new execution may be one of them.
    open: Vec<usize>,
    /// Calls that the agent itself may still report.
    untold: Vec<usize>,
    /// The number of answers of models.
    answers: usize,
    /// The model's last answer, and earlier ones with unanswered calls.
    latest: Option<AnsweredModelCall>,
    awaiting: Vec<(AnsweredModelCall, usize)>,
}

impl Joiner {
    /// A joiner that has processed these events.
    pub(super) fn over<'e>(events: impl IntoIterator<Item = &'e Event>) -> Self {
        let mut joiner = Self::default();
        for event in events {
            joiner.take(event);
        }
        joiner
    }

    /// Processes an event.
    pub fn take(&mut self, event: &Event) -> Vec<CallChange> {
        let at = self.events;
        self.events += 1;
        match &event.kind {
            EventKind::ToolCall(call) => {
                let told = Observation { event: at, turn: event.turn, what: call.clone() };
                self.call(told).into_iter().collect()
            }
            EventKind::ToolResult(result) => self.result(at, event.turn, result),
            EventKind::ModelCall { request, response } => {
                self.asked(request);
                self.answers += 1;
                self.latest = Some(AnsweredModelCall::new(request, response));
                Vec::new()
            }
            _ => Vec::new(),
        }
    }

    /// The number of calls that count. If `over`, exchanges of calls that never counted are included.
    pub fn count(&self, over: bool) -> u64 {
        let number = |call: &Joined| match call.counted {
            Some(_) => 1,
            None if over => call.parts.len() as u64,
            None => 0,
        };
        self.calls.iter().map(number).sum()
    }

    fn call(&mut self, told: Observation<ToolCall>) -> Option<CallChange> {
        let observer = told.what.observer;
        let known = match observer {
            Observer::Stub => self.asked_for(&told),
            Observer::Protocol => self.of_id(&told).or_else(|| self.not_told(&told)),
            Observer::Provider | Observer::ModelWire => self.of_id(&told),
        };
        if observer == Observer::Stub
            && known.is_none()
            && let Some(around) = self.around(told.turn)
        {
            let parts = &mut self.calls[around].parts;
            self.by_stub.insert(told.what.call_id.clone(), (around, Some(parts.len())));
            parts.push(StubExchange { call: told, result: None });
            return None;
        }
        let number = known.unwrap_or(self.calls.len());
        if known.is_none() {
            self.calls.push(Joined::default());
            if observer != Observer::Protocol {
                self.untold.push(number);
            }
            if matches!(observer, Observer::Protocol | Observer::ModelWire) {
                self.open.push(number);
            }
        }
        match observer {
            Observer::Stub => {
                self.by_stub.insert(told.what.call_id.clone(), (number, None));
            }
            Observer::Protocol | Observer::Provider | Observer::ModelWire => {
                self.by_id.entry((observer, told.what.call_id.clone())).or_default().push(number);
            }
        }
        if observer == Observer::Protocol {
            self.untold.retain(|other| *other != number);
        }
        if observer == Observer::ModelWire
            && let Some(exchange) = &self.latest
        {
            self.calls[number].answer = self.answers;
            self.awaiting.push((exchange.clone(), number));
        }
        let turn = told.turn;
        self.calls[number].calls[observer as usize] = Some(told);
        self.settle(number, turn)
    }

    /// The call with this id that another observer reported.
    fn of_id(&self, told: &Observation<ToolCall>) -> Option<usize> {
        let others = Observer::ALL.into_iter().filter(|other| *other != told.what.observer);
        let lacks = |number: &&usize| self.calls[**number].by(told.what.observer).is_none();
        let of = |other| self.by_id.get(&(other, told.what.call_id.clone()))?.iter().rev().find(lacks).copied();
        others.filter_map(of).max()
    }

    /// The call that a stub executes: one with this name that has no result yet.
    fn asked_for(&self, told: &Observation<ToolCall>) -> Option<usize> {
        let waits = |number: &usize| self.calls[*number].by(Observer::Stub).is_none();
        self.nearest(self.open.iter().copied().filter(waits), told)
    }

    /// The call that the agent reports, if another observer saw one with this name.
    fn not_told(&self, told: &Observation<ToolCall>) -> Option<usize> {
        let now = |number: &usize| self.calls[*number].decisive().is_some_and(|call| call.turn == told.turn);
        self.nearest(self.untold.iter().copied().filter(now), told)
    }

    /// The best match among calls of the same tool: in this turn, with the exact name, with the same or more arguments,
    /// unanswered, of the latest answer (an agent that calls its model again follows the second answer), and the first
    /// of these.
    fn nearest(&self, candidates: impl Iterator<Item = usize>, told: &Observation<ToolCall>) -> Option<usize> {
        let nearness = |number: usize| {
            let call = self.calls[number].decisive().filter(|call| same_tool(&call.what.name, &told.what.name))?;
            let is_open = self.open.contains(&number);
            let (of_turn, exact) = (call.turn == told.turn, call.what.name == told.what.name);
            let nearness = nearness_of(&call.what.args, &told.what.args);
            Some((Reverse((of_turn, exact, nearness, is_open, self.calls[number].answer)), number))
        };
        candidates.filter_map(nearness).min_by_key(|(nearness, _)| *nearness).map(|(_, number)| number)
    }

    /// The call during which an exchange of this turn takes place: of the latest answer, since a tool may be an agent
    /// with its own model; of these the first that was not seen to run.
    fn around(&self, turn: u32) -> Option<usize> {
        let of_turn = |number: &&usize| self.calls[**number].decisive().is_some_and(|call| call.turn == turn);
        let open = || self.open.iter().filter(of_turn).copied();
        let latest = open().map(|number| self.calls[number].answer).max()?;
        let mut innermost = open().filter(|number| self.calls[*number].answer == latest);
        let first = innermost.clone().next();
        innermost.find(|number| self.calls[*number].by(Observer::Stub).is_none()).or(first)
    }

    fn result(&mut self, event: usize, turn: u32, result: &ToolResult) -> Vec<CallChange> {
        let outcome = ResultOutcome { ok: result.ok, refused: result.refused.is_some() };
        let told = Observation { event, turn, what: outcome };
        let number = if result.observer == Observer::Stub {
            match self.by_stub.remove(&result.call_id) {
                Some((number, Some(part))) => {
                    self.calls[number].parts[part].result = Some(told);
                    return if outcome.ok { Vec::new() } else { vec![CallChange::PartFailed(number, part)] };
                }
                Some((number, None)) => Some(number),
                None => None,
            }
        } else {
            self.answered(result)
        };
        let Some(number) = number else { return Vec::new() };
        let call = &mut self.calls[number];
        call.results[result.observer as usize] = Some(told);
        if result.observer != Observer::Stub {
            self.open.retain(|other| *other != number);
        }
        let mut changes: Vec<CallChange> = self.settle(number, turn).into_iter().collect();
        let call = &mut self.calls[number];
        if !outcome.ok && !outcome.refused && !call.failed && call.counted.is_some() {
            call.failed = true;
            changes.push(CallChange::Failed(number));
        }
        changes
    }

    /// The call that a result belongs to: the latest with its id, of the same observer if there is one.
    fn answered(&mut self, result: &ToolResult) -> Option<usize> {
        let own = std::iter::once(result.observer);
        let others = Observer::ALL.into_iter().filter(|other| *other != result.observer);
        for observer in own.chain(others) {
            let Some(waiting) = self.by_id.get_mut(&(observer, result.call_id.clone())) else { continue };
            let lacks = |number: &usize| self.calls[*number].results[result.observer as usize].is_none();
            let Some(at) = waiting.iter().rposition(lacks) else { continue };
            return Some(waiting[at]);
        }
        None
    }

    /// Processes a model request: the conversations that it continues no longer wait for results.
    fn asked(&mut self, request: &Value) {
        self.awaiting.retain(|(_, number)| self.open.contains(number));
        if self.awaiting.is_empty() {
            return;
        }
        let known = ids(request);
        for (exchange, number) in &self.awaiting {
            let call = &self.calls[*number];
            let named = call.by(Observer::ModelWire).is_some_and(|call| known.contains(call.what.call_id.as_str()));
            if named || exchange.goes_on_in(request) {
                self.calls[*number].went_on = true;
                self.open.retain(|other| other != number);
            }
        }
    }

    /// Updates whether a call counts after a new observation.
    fn settle(&mut self, number: usize, turn: u32) -> Option<CallChange> {
        let call = &mut self.calls[number];
        match (call.is_act(), call.counted) {
            (true, None) => {
                call.counted = Some(turn);
                Some(CallChange::Counts(number))
            }
            (false, Some(_)) => {
                call.counted = None;
                Some(CallChange::Refused(number))
            }
            _ => None,
        }
    }
}
