//! The trait of compiled checks.

use agentci_trace::Trace;
use agentci_verdict::{Failure, Outcome};
use serde_json::Value;

use crate::{EvidenceQuestion, KeptAnswer, ScriptCall};

/// A compiled check.
pub(crate) trait Evaluate: std::fmt::Debug + Send + Sync {
    /// Evaluates the check.
    fn evaluate(&self, trace: &Trace) -> Outcome;

    /// Evaluates the negated check. Override it if the negation is more than the opposite outcome.
    fn evaluate_negated(&self, trace: &Trace) -> Outcome {
        opposite(self.evaluate(trace), || self.forbidden(trace))
    }

    /// The failure of a negated check whose positive form passed; says what was found.
    fn forbidden(&self, _trace: &Trace) -> Failure {
        Failure::new("the check passed, which `not` forbids")
    }

    /// The approximate number of steps for each byte of the trace.
    fn weight(&self) -> u64 {
        64
    }

    /// The question it needs answered beside the trace. If there is one, [`conclude`](Self::conclude) evaluates the
    /// check.
    fn question(&self, _trace: &Trace) -> Option<EvidenceQuestion> {
        None
    }

    /// Evaluates the check, or with `negate` the negated check, with the answer to its question.
    fn conclude(&self, trace: &Trace, _answer: &Value, negate: bool) -> Outcome {
        if negate { self.evaluate_negated(trace) } else { self.evaluate(trace) }
    }

    /// Warnings about a check, or with `negate` a negated check, that passed.
    fn warnings(&self, _trace: &Trace, _negate: bool) -> Vec<String> {
        Vec::new()
    }

    /// The function that it calls, if any.
    fn script(&self) -> Option<&ScriptCall> {
        None
    }

    /// Identifies the content of the file that the check names, if it names one.
    fn reads(&self) -> Option<&str> {
        self.script().map(|call| call.file.source.as_str())
    }

    /// The part of the answer that the run keeps.
    fn keep(&self, answer: Value, _negate: bool) -> KeptAnswer {
        KeptAnswer { evidence: answer, ..KeptAnswer::default() }
    }
}

/// The outcome of a check of data if the agent gave no output.
pub(crate) fn no_output() -> Outcome {
    Outcome::Failed(Failure::new("the agent gave no output").note("the turn has neither text nor data"))
}

/// The opposite outcome; `forbidden` is the failure of a check that passed.
pub(crate) fn opposite(outcome: Outcome, forbidden: impl FnOnce() -> Failure) -> Outcome {
    match outcome {
        Outcome::Passed => Outcome::Failed(forbidden()),
        Outcome::Failed(_) => Outcome::Passed,
        other @ (Outcome::Error(_) | Outcome::NotEvaluated(_)) => other,
    }
}
