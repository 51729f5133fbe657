//! Tools that are asked for by their names alone.

use agentci_source::{Span, Spanned, read};
use agentci_trace::{Trace, TracedCall};
use agentci_verdict::{Failure, Outcome};

use super::seen::Seen;
use crate::called::{goes_by, listed};
use crate::evaluate::Evaluate;

/// Each of these.
#[derive(Debug)]
pub(super) struct AllCalled {
    pub(super) names: Vec<Spanned<String>>,
}

/// One of these.
#[derive(Debug)]
pub(super) struct AnyCalled {
    pub(super) names: Vec<Spanned<String>>,
    /// Whether names count that end in one of them.
    pub(super) suffix: bool,
    pub(super) seen: Seen,
    pub(super) span: Span,
}

impl Evaluate for AllCalled {
    fn evaluate(&self, trace: &Trace) -> Outcome {
        let calls = trace.calls();
        let called = |name: &str| calls.iter().any(|call| call.goes_by(|tool| tool == name));
        let missing: Vec<&Spanned<String>> = self.names.iter().filter(|name| !called(&name.value)).collect();
        let Some(first) = missing.first() else { return Outcome::Held };
        let verb = if missing.len() == 1 { "was" } else { "were" };
        let mut failure =
            Failure::new(format!("{} {verb} never called", list(&missing))).at(first.span, "never called");
        failure.notes = Seen::Made.missed(trace, &values(missing.iter().copied()), false);
        failure.notes.extend(listed(&calls));
        Outcome::Failed(failure)
    }

    fn evaluate_negated(&self, trace: &Trace) -> Outcome {
        none_called(&self.names, false, Seen::Made, trace)
    }

    fn warnings(&self, trace: &Trace, negate: bool) -> Vec<String> {
        if negate { Seen::Made.unobserved(trace, &values(&self.names), false) } else { Vec::new() }
    }
}

impl Evaluate for AnyCalled {
    fn evaluate(&self, trace: &Trace) -> Outcome {
        let calls = self.seen.calls(trace);
        let one = |call: &TracedCall<'_>| self.names.iter().any(|name| is(call, name, self.suffix));
        if calls.iter().any(one) {
            return Outcome::Held;
        }
        let names: Vec<&Spanned<String>> = self.names.iter().collect();
        let words = self.seen.words();
        let mut failure = Failure::new(format!("none of {} was {words}", list(&names)))
            .at(self.span, format!("none of them was {words}"));
        failure.notes = self.seen.missed(trace, &values(&self.names), self.suffix);
        failure.notes.extend(listed(&calls));
        Outcome::Failed(failure)
    }

    fn evaluate_negated(&self, trace: &Trace) -> Outcome {
        none_called(&self.names, self.suffix, self.seen, trace)
    }

    fn warnings(&self, trace: &Trace, negate: bool) -> Vec<String> {
        if negate { self.seen.unobserved(trace, &values(&self.names), self.suffix) } else { Vec::new() }
    }
}

fn is(call: &TracedCall<'_>, name: &Spanned<String>, suffix: bool) -> bool {
    call.goes_by(|tool| goes_by(tool, &name.value, suffix))
}

fn none_called(names: &[Spanned<String>], suffix: bool, seen: Seen, trace: &Trace) -> Outcome {
    let calls = seen.calls(trace);
    let called = |name: &&Spanned<String>| calls.iter().any(|call| is(call, name, suffix));
    let found: Vec<&Spanned<String>> = names.iter().filter(called).collect();
    let Some(first) = found.first() else { return Outcome::Held };
    let (verb, words) = (if found.len() == 1 { "was" } else { "were" }, seen.words());
    let label = if seen == Seen::Made { "the agent called this".to_owned() } else { format!("this was {words}") };
    let mut failure = Failure::new(format!("{} {verb} {words}, and must not be", list(&found))).at(first.span, label);
    failure.notes = listed(calls.iter().filter(|call| found.iter().any(|name| is(call, name, suffix))));
    Outcome::Failed(failure)
}

fn values<'n>(names: impl IntoIterator<Item = &'n Spanned<String>>) -> Vec<&'n str> {
    names.into_iter().map(|name| name.value.as_str()).collect()
}

fn list(names: &[&Spanned<String>]) -> String {
    read::quoted_list(&names.iter().map(|name| name.value.as_str()).collect::<Vec<_>>())
}
