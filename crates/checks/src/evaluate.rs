//! What a compiled check can do.

use agentci_trace::Trace;
use agentci_verdict::{Failure, Outcome};
use serde_json::Value;

use crate::{EvidenceQuestion, KeptAnswer, ScriptCall};

/// A check whose arguments were read.
pub(crate) trait Evaluate: std::fmt::Debug + Send + Sync {
    /// Whether it holds.
    fn evaluate(&self, trace: &Trace) -> Outcome;

    /// Whether its opposite holds. A check with something better to say than this overrides it.
    fn evaluate_negated(&self, trace: &Trace) -> Outcome {
        opposite(self.evaluate(trace))
    }

    /// About how many steps it takes for each byte of the trace.
    fn weight(&self) -> u64 {
        64
    }

    /// What it has to know beside the trace. Where there is something, it is judged by [`conclude`](Self::conclude) instead.
    fn question(&self, _trace: &Trace) -> Option<EvidenceQuestion> {
        None
    }

    /// Whether it holds, now that its question is answered; or, negated, whether its opposite does.
    fn conclude(&self, trace: &Trace, _answer: &Value, negate: bool) -> Outcome {
        if negate { self.evaluate_negated(trace) } else { self.evaluate(trace) }
    }

    /// What is odd although it holds, or its opposite does.
    fn warnings(&self, _trace: &Trace, _negate: bool) -> Vec<String> {
        Vec::new()
    }

    /// The function it calls, if it calls one.
    fn script(&self) -> Option<&ScriptCall> {
        None
    }

    /// What the run keeps of the answer.
    fn keep(&self, answer: Value, _negate: bool) -> KeptAnswer {
        KeptAnswer { evidence: answer, ..KeptAnswer::default() }
    }
}

/// The outcome of a check of data when the agent put out none.
pub(crate) fn no_output() -> Outcome {
    Outcome::Failed(
        Failure::new("the agent gave no output").note("neither words nor data came in the turn that is judged"),
    )
}

/// The outcome of the opposite, where a check has nothing better to say.
pub(crate) fn opposite(outcome: Outcome) -> Outcome {
    match outcome {
        Outcome::Held => Outcome::Failed(Failure::new("it held, and must not")),
        Outcome::Failed(_) => Outcome::Held,
        other @ (Outcome::Error(_) | Outcome::NotEvaluated(_)) => other,
    }
}
