//! Evaluates `tool_called` for one tool: which calls meet the conditions, how many, and after which other tool.

use agentci_source::Spanned;
use agentci_trace::{Trace, TracedCall};
use agentci_verdict::{Failure, Outcome};

use super::calling_agent::CallingAgent;
use super::condition::CallCondition;
use super::count::{Count, times};
use super::observation::CallObservation;
use crate::call_words::{goes_by, listed, listed_with};
use crate::evaluate::Evaluate;
use crate::pattern::PlacedPattern;

/// A tool, and the conditions on its calls.
#[derive(Debug)]
pub(super) struct CalledTool {
    pub(super) name: Spanned<String>,
    /// Whether tools whose name ends in this name count.
    pub(super) suffix: bool,
    pub(super) seen: CallObservation,
    pub(super) conditions: Vec<CallCondition>,
    pub(super) count: Count,
    pub(super) after: Option<Spanned<String>>,
    /// The agent that made the calls, if there are several.
    pub(super) by: Option<CallingAgent>,
}

impl Evaluate for CalledTool {
    fn weight(&self) -> u64 {
        let patterns = self.conditions.iter().filter_map(CallCondition::pattern).map(PlacedPattern::weight);
        patterns.chain(self.by.iter().map(|by| by.system.weight())).fold(64, u64::saturating_add)
    }

    fn evaluate(&self, trace: &Trace) -> Outcome {
        let (calls, apart) = self.counted(trace);
        let mut failure = match (self.miscounted(&calls, false), self.misplaced(trace, &calls)) {
            (None, None) => {
                let doubt = apart.doubt(self, |call| self.fits(call, true)).filter(|_| self.count.is_none());
                return doubt.map_or(Outcome::Passed, Outcome::Failed);
            }
            (Some(failure), None) | (None, Some(failure)) => failure,
            (Some(counted), Some(placed)) => counted.note(placed.message),
        };
        if !self.count.is_none() {
            let missed = self.seen.missed(trace, &[&self.name.value], self.suffix);
            failure.notes.splice(0..0, missed);
        }
        apart.explain(Outcome::Failed(failure), &self.name.value)
    }

    /// Without `count`, no call may meet the conditions; otherwise the count must not be met.
    fn evaluate_negated(&self, trace: &Trace) -> Outcome {
        let (calls, apart) = self.counted(trace);
        if self.miscounted(&calls, true).is_some() || self.misplaced(trace, &calls).is_some() {
            return apart.doubt(self, |call| self.fits(call, true)).map_or(Outcome::Passed, Outcome::Failed);
        }
        let (name, with, called) = (&self.name.value, self.with(), self.seen.words());
        let fitting: Vec<&TracedCall<'_>> = self.named(&calls).filter(|call| self.fits(call, true)).collect();
        let times = times(fitting.len());
        let failure = match self.count.span {
            None => Failure::new(format!("`{name}` was {called}{with}, which `not` forbids"))
                .at(self.name.span, format!("{} {times}", self.seen.forbidden())),
            Some(span) => {
                let words = self.count.words();
                let message =
                    format!("`{name}` was {called} {times}{with}, but `not` forbids that it is {called} {words}");
                Failure::new(message).at(span, format!("{called} {times}"))
            }
        };
        Outcome::Failed(failure.notes(if fitting.is_empty() { listed(&calls) } else { listed(fitting) }))
    }

    fn warnings(&self, trace: &Trace, negate: bool) -> Vec<String> {
        if !self.is_of_nothing(negate) {
            return Vec::new();
        }
        self.seen.unobserved(trace, &[&self.name.value], self.suffix)
    }
}

impl CalledTool {
    /// Whether the check passes if nothing was called.
    fn is_of_nothing(&self, negate: bool) -> bool {
        if negate { self.count.span.is_none() } else { self.count.is_none() }
    }

    fn named<'c>(&self, calls: &'c [TracedCall<'c>]) -> impl Iterator<Item = &'c TracedCall<'c>> {
        calls.iter().filter(|call| call.goes_by(|tool| goes_by(tool, &self.name.value, self.suffix)))
    }

    /// Whether a call meets the conditions. If such a call is forbidden, one observer that saw it is enough.
    fn fits(&self, call: &TracedCall<'_>, negate: bool) -> bool {
        let must_not_be = negate || self.count.is_none();
        self.conditions
            .iter()
            .all(|condition| if must_not_be { condition.holds_anywhere(call) } else { condition.holds(call) })
    }

    /// A short description of the calls that count.
    fn with(&self) -> String {
        match self.conditions.as_slice() {
            [] => String::new(),
            conditions => {
                let words: Vec<String> = conditions.iter().map(CallCondition::words).collect();
                format!(" with {}", words.join(" and "))
            }
        }
    }

    /// The failure of the count, if the wrong number of calls meets the conditions.
    fn miscounted(&self, calls: &[TracedCall<'_>], negate: bool) -> Option<Failure> {
        let named: Vec<&TracedCall<'_>> = self.named(calls).collect();
        let fitting = named.iter().filter(|call| self.fits(call, negate)).count();
        // For the upper limit, one observer that saw a call is enough.
        let at_most = named.iter().filter(|call| self.fits(call, true)).count();
        if self.count.is_less_than(at_most) {
            let calls = listed(named.into_iter().filter(|call| self.fits(call, true)));
            return Some(self.wrong_number(at_most).notes(calls));
        }
        if !self.count.is_more_than(fitting) {
            return None;
        }
        let Some(nearest) = self.nearest(&named) else {
            let calls = if named.is_empty() { listed(calls) } else { listed(named) };
            return Some(self.wrong_number(fitting).notes(calls));
        };
        let mut failure = if fitting == 0 { self.unmet(&nearest, &named) } else { self.wrong_number(fitting) };
        if named.len() > 1 {
            let (number, all, words) = (nearest.index + 1, named.len(), nearest.condition.words());
            let seen = nearest.condition.seen(nearest.call);
            failure.notes.push(format!("call {number} of {all} comes closest, but does not have {words}: {seen}"));
        }
        Some(failure.notes(listed_with(named, nearest.index)))
    }

    /// The call that meets most conditions but not all; the last of several.
    fn nearest<'n>(&'n self, named: &[&'n TracedCall<'n>]) -> Option<NearestCall<'n>> {
        let met = |call: &TracedCall<'_>| self.conditions.iter().filter(|condition| condition.holds(call)).count();
        let others = named.iter().enumerate().map(|(index, call)| (met(call), index, *call));
        let (_, index, call) = others.filter(|(met, ..)| *met < self.conditions.len()).max_by_key(|(met, ..)| *met)?;
        let condition = self.conditions.iter().find(|condition| !condition.holds(call))?;
        Some(NearestCall { index, call, condition })
    }

    /// The failure if no call meets the conditions.
    fn unmet(&self, nearest: &NearestCall<'_>, named: &[&TracedCall<'_>]) -> Failure {
        let NearestCall { call, condition, .. } = nearest;
        let name = &self.name.value;
        // Another call may meet this condition but not the others.
        let message = if named.iter().any(|call| condition.holds(call)) {
            format!("no call of `{name}` meets all conditions")
        } else {
            let found = if named.len() == 1 { format!(": {}", condition.seen(call)) } else { String::new() };
            format!("no call of `{name}` has {}{found}", condition.words())
        };
        let details = vec![condition.detail(call)];
        Failure { details, ..Failure::new(message).at(condition.span(), condition.seen(call)) }
    }

    fn wrong_number(&self, fitting: usize) -> Failure {
        let (name, with, wanted, times) = (&self.name.value, self.with(), self.count.words(), times(fitting));
        let called = self.seen.words();
        let message = if self.count.is_none() {
            format!("`{name}` was {called} {times}{with}, but must not be")
        } else {
            format!("`{name}` was {called} {times}{with}, expected {wanted}")
        };
        let label = if fitting == 0 { format!("never {called}") } else { format!("{called} {times}{with}") };
        Failure::new(message).at(self.count.span.unwrap_or(self.name.span), label).detail("", wanted, fitting)
    }

    /// The failure of `after`, if the order is wrong. All calls of the tool count, whatever the other conditions.
    fn misplaced(&self, trace: &Trace, calls: &[TracedCall<'_>]) -> Option<Failure> {
        let after = self.after.as_ref()?;
        let (name, other) = (&self.name.value, &after.value);
        let is = |call: &TracedCall<'_>, name: &str| call.goes_by(|tool| goes_by(tool, name, self.suffix));
        let own = calls.iter().find(|call| is(call, name))?;
        // The other tool must have been called, whatever `seen` expects of this one.
        let all = trace.asked_calls();
        let own = all.iter().position(|call| (call.number, call.part_of) == (own.number, own.part_of))?;
        let counts = |call: &TracedCall<'_>| call.counts || self.seen.fits(call);
        let first = |name: &str| all.iter().position(|call| counts(call) && is(call, name));
        if trace.called_earlier(|call| is(call, other)) {
            return None;
        }
        let (message, label) = match first(other) {
            Some(others) if others <= own => return None,
            Some(_) => (format!("`{name}` was called before `{other}`"), "first called later"),
            None => (format!("`{name}` was called, but `{other}` was never called"), "never called"),
        };
        let calls = calls.iter().filter(|call| [name, other].iter().any(|name| is(call, name)));
        Some(Failure::new(message).at(after.span, label).notes(listed(calls)))
    }
}

/// The closest call that does not count.
struct NearestCall<'n> {
    /// The index among the calls of the tool.
    index: usize,
    call: &'n TracedCall<'n>,
    /// The first condition that it does not meet.
    condition: &'n CallCondition,
}
