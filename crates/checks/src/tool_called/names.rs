//! Tools that are asked for by their names alone.

use agentci_plan::{Failure, Outcome, Span, Spanned, read};
use agentci_trace::{Trace, TracedCall};

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
    pub(super) span: Span,
}

impl Evaluate for AllCalled {
    fn evaluate(&self, trace: &Trace) -> Outcome {
        let calls = trace.calls();
        let missing: Vec<&Spanned<String>> =
            self.names.iter().filter(|name| !calls.iter().any(|call| call.call.name == name.value)).collect();
        let Some(first) = missing.first() else { return Outcome::Held };
        let verb = if missing.len() == 1 { "was" } else { "were" };
        let mut failure =
            Failure::new(format!("{} {verb} never called", list(&missing))).at(first.span, "never called");
        failure.notes = listed(&calls);
        Outcome::Failed(failure)
    }

    fn evaluate_negated(&self, trace: &Trace) -> Outcome {
        none_called(&self.names, false, &trace.calls())
    }
}

impl Evaluate for AnyCalled {
    fn evaluate(&self, trace: &Trace) -> Outcome {
        let calls = trace.calls();
        if calls.iter().any(|call| self.names.iter().any(|name| goes_by(&call.call.name, &name.value, self.suffix))) {
            return Outcome::Held;
        }
        let names: Vec<&Spanned<String>> = self.names.iter().collect();
        let mut failure =
            Failure::new(format!("none of {} was called", list(&names))).at(self.span, "none of them was called");
        failure.notes = listed(&calls);
        Outcome::Failed(failure)
    }

    fn evaluate_negated(&self, trace: &Trace) -> Outcome {
        none_called(&self.names, self.suffix, &trace.calls())
    }
}

fn none_called(names: &[Spanned<String>], suffix: bool, calls: &[TracedCall<'_>]) -> Outcome {
    let is = |call: &TracedCall<'_>, name: &Spanned<String>| goes_by(&call.call.name, &name.value, suffix);
    let called = |name: &&Spanned<String>| calls.iter().any(|call| is(call, name));
    let found: Vec<&Spanned<String>> = names.iter().filter(called).collect();
    let Some(first) = found.first() else { return Outcome::Held };
    let verb = if found.len() == 1 { "was" } else { "were" };
    let mut failure = Failure::new(format!("{} {verb} called, and must not be", list(&found)))
        .at(first.span, "the agent called this");
    failure.notes = listed(calls.iter().filter(|call| found.iter().any(|name| is(call, name))));
    Outcome::Failed(failure)
}

fn list(names: &[&Spanned<String>]) -> String {
    read::quoted_list(&names.iter().map(|name| name.value.as_str()).collect::<Vec<_>>())
}
