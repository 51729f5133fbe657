//! # What it checks
//! The model wrote at most `max` tokens over the whole case, as the agent (or a scripted model) reports them. If none
//! are reported, the check fails.
//!
//! # Why
//! An answer that grows costs more and is read less. To stop the case instead, use the limit `tokens_out`.
//!
//! # Example
//! ```yaml
//! checks:
//!   - tokens: { max: 500 }
//! ```

use std::sync::Arc;

use agentci_source::shape::{CheckShape, Kind, Shape, required};
use agentci_source::{Node, Spanned, read};
use agentci_trace::Trace;
use agentci_verdict::{Failure, Outcome};

use crate::compiler::{Compiler, spanned};
use crate::evaluate::Evaluate;

#[derive(Debug)]
struct TokensCheck {
    max: Spanned<i64>,
}

/// How suites write this check.
pub(crate) const SHAPE: CheckShape = CheckShape {
    name: "tokens",
    about: "The model wrote at most this many tokens.",
    arguments: Kind::Shape(&ARGUMENTS),
};

static ARGUMENTS: Shape = Shape::new(
    "`tokens`",
    "A token limit.",
    &[required("max", Kind::Whole(i64::MIN, i64::MAX), "Maximum number of output tokens over the whole case.")],
);

pub(crate) fn compile(arguments: &Node, compiler: &mut Compiler<'_>) -> Option<Arc<dyn Evaluate>> {
    let mut arguments = compiler.open(&ARGUMENTS, arguments)?;
    let max = arguments.required("max", spanned(read::integer));
    arguments.finish()?;
    Some(Arc::new(TokensCheck { max: max? }))
}

impl Evaluate for TokensCheck {
    fn evaluate(&self, trace: &Trace) -> Outcome {
        let Some(used) = trace.usage().tokens_out else {
            return Outcome::Failed(Failure::new("the agent did not report its tokens").at(self.max.span, "unknown"));
        };
        let max = self.max.value;
        if i128::from(used) <= i128::from(max) {
            return Outcome::Passed;
        }
        let failure = Failure::new(format!("the model wrote {used} tokens, the limit is {max}"));
        Outcome::Failed(failure.at(self.max.span, format!("{used} were used")).detail("", max, used))
    }

    fn forbidden(&self, trace: &Trace) -> Failure {
        let used = trace.usage().tokens_out.expect("the check only passes if the agent reported its tokens");
        let max = self.max.value;
        let message = format!("the model wrote {used} tokens, within the limit of {max}, which `not` forbids");
        Failure::new(message).at(self.max.span, format!("{used} were used"))
    }
}
