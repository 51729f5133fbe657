//! # What it checks
//! The model's last answer ended with this finish reason, or with one of several. Under `not`, no answer of the model
//! may have ended with it. The reasons are those of `OpenAI`'s Chat Completions, whichever the provider: `stop` (the
//! answer is complete), `length` (the token limit was reached), `tool_calls`, `content_filter` (a filter stopped the
//! answer, or the model refused). The check needs a `chat` target, whose model agentci calls itself, or an `http`
//! target whose responses have a supported format and include a reason; if no reason is reported, the case is an
//! error.
//!
//! # Why
//! An answer that is cut short can still contain everything that a check looks for. Without this check it is only a
//! warning.
//!
//! # Example
//! ```yaml
//! checks:
//!   - finish_reason: stop
//!   - finish_reason: [stop, tool_calls]
//!   - not: { finish_reason: length }
//! ```

use std::sync::Arc;

use agentci_source::shape::{CheckShape, Kind};
use agentci_source::{Node, Spanned, read};
use agentci_trace::{EventKind as Happened, Trace};
use agentci_verdict::{Failure, Outcome};
use serde_json::Value;

use crate::compiler::Compiler;
use crate::evaluate::Evaluate;

#[derive(Debug)]
struct FinishReason {
    reasons: Vec<Spanned<String>>,
}

/// How suites write this check.
pub(crate) const SHAPE: CheckShape = CheckShape {
    name: "finish_reason",
    about: "The model's last answer ended with this finish reason.",
    arguments: Kind::OneOrMore(&Kind::Name),
};

pub(crate) fn compile(arguments: &Node, compiler: &mut Compiler<'_>) -> Option<Arc<dyn Evaluate>> {
    let reasons = read::one_or_more_texts(arguments, "finish_reason", &mut compiler.problems)?;
    if reasons.is_empty() || reasons.iter().any(|reason| reason.value.trim().is_empty()) {
        let help = "write `stop`, `length`, `tool_calls` or `content_filter`";
        return compiler.refuse(arguments.span, "`finish_reason` must name a reason", "no reason", help);
    }
    Some(Arc::new(FinishReason { reasons }))
}

impl Evaluate for FinishReason {
    fn evaluate(&self, trace: &Trace) -> Outcome {
        let found = reasons(trace);
        let (Some(last), Some(first)) = (found.last(), self.reasons.first()) else { return unknown() };
        if self.reasons.iter().any(|reason| reason.value == *last) {
            return Outcome::Passed;
        }
        let expected: Vec<&str> = self.reasons.iter().map(|reason| reason.value.as_str()).collect();
        let message = format!("the model's last answer ended with `{last}`, expected {}", read::quoted_list(&expected));
        let expected = if let [only] = &expected[..] { Value::from(*only) } else { Value::from(expected) };
        let failure = Failure::new(message).at(first.span, format!("it ended with `{last}`"));
        Outcome::Failed(failure.detail("", expected, *last))
    }

    fn evaluate_negated(&self, trace: &Trace) -> Outcome {
        let found = reasons(trace);
        if found.is_empty() {
            return unknown();
        }
        let named = |reason: &&Spanned<String>| found.contains(&reason.value.as_str());
        let Some(reason) = self.reasons.iter().find(named) else { return Outcome::Passed };
        let message = format!("an answer of the model ended with `{}`, which `not` forbids", reason.value);
        Outcome::Failed(Failure::new(message).at(reason.span, "must not end with this"))
    }
}

/// The finish reasons of the model's answers, in order.
fn reasons(trace: &Trace) -> Vec<&str> {
    let calls = trace.events().iter().filter_map(|event| match &event.kind {
        Happened::ModelCall { response, .. } => response.get("finish_reason")?.as_str(),
        Happened::Finish(reason) => Some(reason.as_str()),
        _ => None,
    });
    calls.collect()
}

fn unknown() -> Outcome {
    Outcome::Error(
        Failure::new("the finish reason of the model is unknown").note(
            "`chat` targets report it, and `http` targets whose response has a supported format that includes it",
        ),
    )
}
