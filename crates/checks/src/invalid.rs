//! Checks that cannot be understood. An assertion of another format must not pass only because nobody knows what it asks for: it
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

/// What an invalid check does.
pub(crate) fn evaluator(check: &Check) -> Arc<dyn Evaluate> {
    let reason = check.arguments.scalar().map(|reason| reason.text.to_string()).unwrap_or_default();
    Arc::new(Invalid { reason, span: check.arguments.span })
}

impl Evaluate for Invalid {
    fn evaluate(&self, _trace: &Trace) -> Outcome {
        Outcome::Failed(Failure::new(self.reason.clone()).at(self.span, "can not be evaluated"))
    }

    fn evaluate_negated(&self, trace: &Trace) -> Outcome {
        self.evaluate(trace)
    }
}
