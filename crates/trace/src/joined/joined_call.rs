//! Joined calls as checks and reports see them.

use super::arguments::{ArgumentDifference, differences};
use super::joiner::{Joined, Joiner, Observation, StubExchange};
use super::name::same_tool;
use crate::{Event, EventKind, Moment, Observer, ToolCall, ToolResult};

/// A tool call, or an exchange with a stub during one, with everything that was observed.
#[derive(Debug, Clone, Copy, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub struct TracedCall<'t> {
    /// The turn in which it was made, from 0; if it was not made, the turn in which it was requested.
    pub turn: u32,
    /// The call: as executed if that was seen, else as the agent reported it, else as the model requested it.
    pub call: &'t ToolCall,
    /// The time of that observation.
    pub at: Moment,
    /// The result, from the same observer as the call if there is one.
    pub result: Option<&'t ToolResult>,
    /// The time of the result.
    pub answered: Option<Moment>,
    /// The call as the model requested it.
    pub request: Option<&'t ToolCall>,
    /// Whether it counts as a call.
    pub counts: bool,
    /// Whether it was seen to run.
    pub was_executed: bool,
    /// Whether its result was sent to the model or to agentci.
    pub was_answered: bool,
    /// Whether the model requested it in the last answer of its conversation, so that its outcome could not be
    /// observed.
    pub is_unobserved: bool,
    /// The number of the call; an exchange has the number of its call.
    pub number: usize,
    /// The number of the call during which the exchange took place.
    pub part_of: Option<usize>,
    /// The observed results, by observer.
    results: [Option<&'t ToolResult>; Observer::ALL.len()],
    observers: [bool; Observer::ALL.len()],
    told: Option<&'t ToolResult>,
}

impl<'t> TracedCall<'t> {
    /// The results of all observers; the decisive one first.
    pub fn results(&self) -> impl Iterator<Item = &'t ToolResult> + use<'t> {
        self.results.into_iter().flatten()
    }

    /// The result that the agent sent to its model, if it was seen. An exchange with the same tool during a call, such
    /// as a retry, has the result of the call.
    pub fn told_model(&self) -> Option<&'t ToolResult> {
        self.told
    }

    /// The observers of the call or its result.
    pub fn observers(&self) -> impl Iterator<Item = Observer> + use<'t> {
        let seen = self.observers;
        Observer::ALL.into_iter().filter(move |observer| seen[*observer as usize])
    }

    /// Whether its model requested it.
    pub fn was_requested(&self) -> bool {
        self.request.is_some()
    }

    /// The form of the refusal, if it was refused.
    pub fn refused(&self) -> Option<&'t str> {
        self.results().find_map(|result| result.refused.as_deref())
    }

    /// Whether one of its names matches: as executed, or as requested.
    pub fn goes_by(&self, is: impl Fn(&str) -> bool) -> bool {
        is(&self.call.name) || self.request.is_some_and(|request| is(&request.name))
    }

    /// The requested arguments that were executed differently.
    pub fn differences(&self) -> Vec<ArgumentDifference> {
        match self.request {
            Some(request) if !std::ptr::eq(request, self.call) => differences(&request.args, &self.call.args),
            _ => Vec::new(),
        }
    }
}

/// A call that was made, for the comparison with other runs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MadeCall<'t> {
    /// The call: as executed if that was seen, else as the agent reported it, else as the model requested it.
    pub call: &'t ToolCall,
    /// Whether a model requested it and the agent sent a result, but it was not seen to run.
    pub only_answered: bool,
    /// Whether it is an exchange with a stub during a call that counts.
    pub within: bool,
}

/// All observed calls and the exchanges during them, in the order they were made.
pub(crate) fn units<'t>(earlier: &'t [Event], events: &'t [Event]) -> Vec<TracedCall<'t>> {
    let events = TraceEvents(earlier.iter().chain(events).collect());
    let joiner = Joiner::over(events.0.iter().copied());
    let mut units: Vec<(usize, TracedCall<'t>)> = Vec::with_capacity(joiner.calls.len());
    for (number, joined) in joiner.calls.iter().enumerate() {
        let Some((at, unit)) = events.unit(joined, number) else { continue };
        units.push((at, unit));
        units.extend(joined.parts.iter().filter_map(|part| events.part(part, &unit)));
    }
    units.sort_by_key(|(at, _)| *at);
    units.into_iter().map(|(_, unit)| unit).collect()
}

struct TraceEvents<'t>(Vec<&'t Event>);

impl<'t> TraceEvents<'t> {
    fn call(&self, told: &Observation<ToolCall>) -> Option<(Moment, &'t ToolCall)> {
        let event = self.0.get(told.event)?;
        if let EventKind::ToolCall(call) = &event.kind { Some((event.at, call)) } else { None }
    }

    fn result<T>(&self, told: &Observation<T>) -> Option<(Moment, &'t ToolResult)> {
        let event = self.0.get(told.event)?;
        if let EventKind::ToolResult(result) = &event.kind { Some((event.at, result)) } else { None }
    }

    fn unit(&self, joined: &Joined, number: usize) -> Option<(usize, TracedCall<'t>)> {
        let told = joined.decisive()?;
        let (at, call) = self.call(told)?;
        let request = joined.calls[Observer::ModelWire as usize].as_ref();
        let request = request.and_then(|told| self.call(told)).map(|(_, call)| call);
        let results = joined.results.each_ref().map(|told| self.result(told.as_ref()?));
        let observers = Observer::ALL.map(|by| joined.calls[by as usize].is_some() || results[by as usize].is_some());
        let result = results.iter().flatten().next().copied();
        let (was_executed, was_answered) = (joined.is_executed(), joined.is_answered());
        let counts = joined.counted.is_some();
        let only_asked = call.observer == Observer::ModelWire && !counts && !joined.is_refused();
        let unit = TracedCall {
            turn: joined.counted.unwrap_or(told.turn),
            call,
            at,
            result: result.map(|(_, result)| result),
            answered: result.map(|(at, _)| at),
            request,
            counts,
            was_executed,
            was_answered,
            is_unobserved: only_asked && !joined.went_on,
            number,
            part_of: None,
            told: results[Observer::ModelWire as usize].map(|(_, result)| result),
            results: results.map(|result| result.map(|(_, result)| result)),
            observers,
        };
        Some((told.event, unit))
    }

    fn part(&self, part: &StubExchange, of: &TracedCall<'t>) -> Option<(usize, TracedCall<'t>)> {
        let (at, call) = self.call(&part.call)?;
        let result = part.result.as_ref().and_then(|told| self.result(told));
        let mut results = [None; Observer::ALL.len()];
        results[Observer::Stub as usize] = result.map(|(_, result)| result);
        let observers = Observer::ALL.map(|observer| observer == Observer::Stub);
        let unit = TracedCall {
            turn: part.call.turn,
            call,
            at,
            result: result.map(|(_, result)| result),
            answered: result.map(|(at, _)| at),
            request: None,
            counts: true,
            was_executed: true,
            was_answered: result.is_some(),
            is_unobserved: false,
            number: of.number,
            part_of: Some(of.number),
            results,
            observers,
            told: of.told.filter(|_| same_tool(&of.call.name, &call.name)),
        };
        Some((part.call.event, unit))
    }
}

impl Joiner {
    /// A call, as executed if that was seen.
    pub fn decisive(&self, number: usize) -> Option<&ToolCall> {
        self.calls.get(number)?.decisive().map(|told| &told.what)
    }

    /// An exchange during a call.
    pub fn part(&self, number: usize, part: usize) -> Option<&ToolCall> {
        Some(&self.calls.get(number)?.parts.get(part)?.call.what)
    }

    /// Whether the model requested a call.
    pub fn was_requested(&self, number: usize) -> bool {
        self.calls.get(number).is_some_and(|call| call.calls[Observer::ModelWire as usize].is_some())
    }

    /// Whether one of a call's names matches: as executed, or as requested.
    pub fn goes_by(&self, number: usize, is: impl Fn(&str) -> bool) -> bool {
        self.calls.get(number).is_some_and(|call| call.calls.iter().flatten().any(|told| is(&told.what.name)))
    }

    /// The calls that count, in the order they occurred, then the exchanges during them. For a call that does not
    /// count, its exchanges are included.
    pub fn made(&self) -> Vec<MadeCall<'_>> {
        let mut made: Vec<(usize, MadeCall<'_>)> = Vec::with_capacity(self.calls.len());
        for call in &self.calls {
            let counts = call.counted.is_some();
            if let (Some(first), Some(told)) = (call.first_event(), call.decisive().filter(|_| counts)) {
                let only_answered = call.calls[Observer::ModelWire as usize].is_some() && !call.is_executed();
                made.push((first, MadeCall { call: &told.what, only_answered, within: false }));
            }
            let parts = call.parts.iter().map(|part| &part.call);
            made.extend(
                parts.map(|told| (told.event, MadeCall { call: &told.what, only_answered: false, within: counts })),
            );
        }
        made.sort_by_key(|(event, made)| (made.within, *event));
        made.into_iter().map(|(_, made)| made).collect()
    }
}
