//! What a compiled check can do.

use agentci_plan::{Failure, Outcome};
use agentci_trace::Trace;

/// A check whose arguments were read.
pub(crate) trait Evaluate: std::fmt::Debug + Send + Sync {
    /// Whether it holds.
    fn evaluate(&self, trace: &Trace) -> Outcome;

    /// Whether its opposite holds. A check with something better to say than this overrides it.
    fn evaluate_negated(&self, trace: &Trace) -> Outcome {
        match self.evaluate(trace) {
            Outcome::Held => Outcome::Failed(Failure::new("it held, and must not")),
            Outcome::Failed(_) => Outcome::Held,
            other => other,
        }
    }
}

/// What is said of a check over the result when there is none.
pub(crate) fn no_output() -> Outcome {
    Outcome::NotEvaluated("the agent gave no final output".into())
}
