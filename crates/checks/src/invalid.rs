//! Checks that are invalid. An assertion of another format must not pass only because agentci cannot interpret it: it
//! fails, negated or not, and says why.

use std::sync::Arc;

use agentci_plan::Check;
use agentci_source::Span;
use agentci_trace::Trace;
use agentci_verdict::{Failure, Outcome};

use crate::evaluate::Evaluate;

#[derive(Debug)]
struct Invalid {
    reason: String,
    span: Span,
}

/// Compiles an invalid check; its argument is the reason.
pub(crate) fn evaluator(check: &Check) -> Arc<dyn Evaluate> {
    let reason = check.arguments.scalar().map(|reason| reason.text.to_string()).unwrap_or_default();
    Arc::new(Invalid { reason, span: check.arguments.span })
}

impl Evaluate for Invalid {
    fn evaluate(&self, _trace: &Trace) -> Outcome {
        Outcome::Failed(Failure::new(self.reason.clone()).at(self.span, "cannot be evaluated"))
    }

    fn evaluate_negated(&self, trace: &Trace) -> Outcome {
        self.evaluate(trace)
    }
}
