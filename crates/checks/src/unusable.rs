//! # What it checks
//! Nothing: it never holds, negated or not, and says the words it is given.
//!
//! # Why
//! An assertion of another format that can not be understood must not pass; this is what becomes of it.
//!
//! # Example
//! ```yaml
//! checks:
//!   - unusable: there is no assertion of the type `equal`
//! ```

use std::sync::Arc;

use agentci_source::shape::{CheckShape, Kind};
use agentci_source::{Node, Span, read};
use agentci_trace::Trace;
use agentci_verdict::{Failure, Outcome};

use crate::compiler::Compiler;
use crate::evaluate::Evaluate;

#[derive(Debug)]
struct Unusable {
    reason: String,
    span: Span,
}

/// What it is given.
pub(crate) const SHAPE: CheckShape =
    CheckShape { name: "unusable", about: "Nothing: it never holds, and says why.", arguments: Kind::Text };

pub(crate) fn compile(arguments: &Node, compiler: &mut Compiler<'_>) -> Option<Arc<dyn Evaluate>> {
    let reason = read::text(arguments, "unusable", &mut compiler.problems)?;
    Some(Arc::new(Unusable { reason, span: arguments.span }))
}

/// The same for a check whose arguments turned out to be wrong.
pub(crate) fn because(reason: String, span: Span) -> Arc<dyn Evaluate> {
    Arc::new(Unusable { reason, span })
}

impl Evaluate for Unusable {
    fn evaluate(&self, _trace: &Trace) -> Outcome {
        Outcome::Failed(Failure::new(self.reason.clone()).at(self.span, "can not be evaluated"))
    }

    fn evaluate_negated(&self, trace: &Trace) -> Outcome {
        self.evaluate(trace)
    }
}
