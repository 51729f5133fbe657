//! # What it checks
//! The tools were called in this order. The list must be found among the calls, and no tool may be called before the
//! first call of a tool that is listed before it. Other calls may come in between, and a name that is listed twice
//! must be called twice. With `anywhere: true`, it is enough that the list is found: `refund`, `find`, `refund` then
//! passes for `[find, refund]`.
//!
//! What counts as a call, and the meaning of `seen`, are the same as for [`tool_called`](#tool_called).
//!
//! Under `not`, the list must not be found among the calls, with or without `anywhere`.
//!
//! # Why
//! Some steps only make sense after others: look up before refunding, validate before charging.
//!
//! # Example
//! ```yaml
//! checks:
//!   - call_order: [search_docs, create_issue]
//!   - call_order: { order: [find_order, refund_order], anywhere: true }
//! ```

use std::sync::Arc;

use agentci_source::shape::{CheckShape, Kind, Shape, optional, required};
use agentci_source::{Node, Spanned, read};
use agentci_trace::{Trace, TracedCall};
use agentci_verdict::{Failure, Outcome};

use crate::call_words::observed;
use crate::compiler::Compiler;
use crate::evaluate::Evaluate;
use crate::tool_called::{CallObservation, SEEN, SEEN_ABOUT};

#[derive(Debug)]
struct CallOrder {
    order: Vec<Spanned<String>>,
    /// Whether earlier calls of the tools are allowed.
    anywhere: bool,
    seen: CallObservation,
}

/// How suites write this check.
pub(crate) const SHAPE: CheckShape = CheckShape {
    name: "call_order",
    about: "The tools were called in this order.",
    arguments: Kind::Either(&[Kind::List(&Kind::Text), Kind::Shape(&ARGUMENTS)]),
};

static ARGUMENTS: Shape = Shape::new(
    "`call_order`",
    "The tools, in order.",
    &[
        required("order", Kind::List(&Kind::Text), "The names of the tools."),
        optional(
            "anywhere",
            Kind::Truth,
            "Whether the tools may also have been called before, in another order. Default: false.",
        ),
        optional("seen", SEEN, SEEN_ABOUT),
    ],
);

pub(crate) fn compile(arguments: &Node, compiler: &mut Compiler<'_>) -> Option<Arc<dyn Evaluate>> {
    if arguments.pairs().is_none() {
        let order = read::texts(arguments, "call_order", &mut compiler.problems)?;
        return Some(Arc::new(CallOrder { order, anywhere: false, seen: CallObservation::Made }));
    }
    let mut arguments = compiler.open(&ARGUMENTS, arguments)?;
    let order = arguments.required("order", read::texts);
    let anywhere = arguments.optional("anywhere", read::truth).unwrap_or_default();
    let seen = arguments.optional("seen", CallObservation::read).unwrap_or_default();
    arguments.finish()?;
    Some(Arc::new(CallOrder { order: order?, anywhere, seen }))
}

impl CallOrder {
    fn names(&self) -> Vec<&str> {
        self.order.iter().map(|name| name.value.as_str()).collect()
    }

    /// The first name that is missing, and the name before it; `None` if the whole list is found.
    fn missing(&self, calls: &[TracedCall<'_>]) -> Option<(&Spanned<String>, Option<&Spanned<String>>)> {
        let mut found = 0;
        for call in calls {
            found += usize::from(self.order.get(found).is_some_and(|name| call.goes_by(|tool| name.value == tool)));
        }
        let missing = self.order.get(found)?;
        Some((missing, found.checked_sub(1).map(|before| &self.order[before])))
    }

    /// The first name that was called before the first call of a name that is listed before it, and that other name.
    fn early(&self, calls: &[TracedCall<'_>]) -> Option<(&Spanned<String>, &Spanned<String>)> {
        let first = |name: &Spanned<String>| calls.iter().position(|call| call.goes_by(|tool| tool == name.value));
        let mut latest: Option<(usize, &Spanned<String>)> = None;
        let mut known: Vec<&str> = Vec::new();
        for name in &self.order {
            // The earlier calls of a repeated name belong to its first place in the list.
            if known.contains(&name.value.as_str()) {
                continue;
            }
            known.push(&name.value);
            let own = first(name)?;
            match latest {
                Some((before, other)) if own < before => return Some((name, other)),
                _ => latest = Some((own, name)),
            }
        }
        None
    }
}

impl Evaluate for CallOrder {
    fn evaluate(&self, trace: &Trace) -> Outcome {
        let calls = self.seen.calls(trace);
        let (name, message) = match (self.missing(&calls), self.early(&calls)) {
            (Some((missing, None)), _) => (missing, format!("`{}` was not called", missing.value)),
            (Some((missing, Some(last))), _) => {
                (missing, format!("`{}` was not called after `{}`", missing.value, last.value))
            }
            (None, Some((early, other))) if !self.anywhere => {
                (early, format!("`{}` was called before `{}`", early.value, other.value))
            }
            (None, _) => return Outcome::Passed,
        };
        let missed = self.seen.missed(trace, &self.names(), false);
        Outcome::Failed(Failure::new(message.clone()).at(name.span, message).notes(missed).note(observed(&calls)))
    }

    /// Negated, the list must not be found, whatever was called before it: a mail sent after a secret was read may leak
    /// it.
    fn evaluate_negated(&self, trace: &Trace) -> Outcome {
        let calls = self.seen.calls(trace);
        if self.missing(&calls).is_some() {
            return Outcome::Passed;
        }
        let names = read::quoted_list(&self.names());
        let message = format!("the tools were called in the order {names}, which `not` forbids");
        let failure = Failure::new(message).note(observed(&calls));
        Outcome::Failed(match self.order.first() {
            Some(first) => failure.at(first.span, "called in this order"),
            None => failure,
        })
    }

    fn warnings(&self, trace: &Trace, negate: bool) -> Vec<String> {
        if negate { self.seen.unobserved(trace, &self.names(), false) } else { Vec::new() }
    }
}
