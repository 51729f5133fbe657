//! Evaluates `tool_called` with names only.

use agentci_source::{Span, Spanned, read};
use agentci_trace::{Trace, TracedCall};
use agentci_verdict::{Failure, Outcome};

use super::observation::CallObservation;
use crate::call_words::{goes_by, listed};
use crate::evaluate::Evaluate;

/// Tools that must all be called, or any of them.
#[derive(Debug)]
pub(super) struct NamedTools {
    pub(super) names: Vec<Spanned<String>>,
    /// The place of `any`, if any of them is enough.
    pub(super) any: Option<Span>,
    /// Whether tools whose name ends in one of these names count.
    pub(super) suffix: bool,
    pub(super) seen: CallObservation,
}

impl Evaluate for NamedTools {
    fn evaluate(&self, trace: &Trace) -> Outcome {
        let (calls, words) = (self.seen.calls(trace), self.seen.words());
        let missing = self.names.iter().filter(|name| !calls.iter().any(|call| self.is(call, name)));
        let missing: Vec<&Spanned<String>> = missing.collect();
        let failure = match (self.any, missing.first()) {
            (None, None) => return Outcome::Passed,
            (Some(_), _) if missing.len() < self.names.len() => return Outcome::Passed,
            (Some(span), _) => Failure::new(format!("none of {} was {words}", list(&missing)))
                .at(span, format!("none of them was {words}")),
            (None, Some(first)) => {
                let verb = if missing.len() == 1 { "was" } else { "were" };
                Failure::new(format!("{} {verb} never called", list(&missing))).at(first.span, "never called")
            }
        };
        let missed = self.seen.missed(trace, &values(missing), self.suffix);
        Outcome::Failed(failure.notes(missed).notes(listed(&calls)))
    }

    fn evaluate_negated(&self, trace: &Trace) -> Outcome {
        let (calls, words) = (self.seen.calls(trace), self.seen.words());
        let called = |name: &&Spanned<String>| calls.iter().any(|call| self.is(call, name));
        let found: Vec<&Spanned<String>> = self.names.iter().filter(called).collect();
        let Some(first) = found.first() else { return Outcome::Passed };
        let verb = if found.len() == 1 { "was" } else { "were" };
        let message = format!("{} {verb} {words}, which `not` forbids", list(&found));
        let failure = Failure::new(message).at(first.span, self.seen.forbidden());
        let calls = calls.iter().filter(|call| found.iter().any(|name| self.is(call, name)));
        Outcome::Failed(failure.notes(listed(calls)))
    }

    fn warnings(&self, trace: &Trace, negate: bool) -> Vec<String> {
        if negate { self.seen.unobserved(trace, &values(&self.names), self.suffix) } else { Vec::new() }
    }
}

impl NamedTools {
    fn is(&self, call: &TracedCall<'_>, name: &Spanned<String>) -> bool {
        call.goes_by(|tool| goes_by(tool, &name.value, self.suffix))
    }
}

fn values<'n>(names: impl IntoIterator<Item = &'n Spanned<String>>) -> Vec<&'n str> {
    names.into_iter().map(|name| name.value.as_str()).collect()
}

fn list(names: &[&Spanned<String>]) -> String {
    read::quoted_list(&values(names.iter().copied()))
}
