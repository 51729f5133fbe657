//! # What it checks
//! The model wrote at most `max` tokens over the whole case, as the agent (or a scripted model) reports them. A case that
//! reports none does not pass.
//!
//! # Why
//! An answer that grows costs more and is read less. A limit of the same kind (`tokens_out`) stops the case instead.
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

/// What it is given.
pub(crate) const SHAPE: CheckShape =
    CheckShape { name: "tokens", about: "The model wrote at most so many tokens.", arguments: Kind::Shape(&ARGUMENTS) };

static ARGUMENTS: Shape = Shape::new(
    "`tokens`",
    "A limit on tokens.",
    &[required("max", Kind::Whole(i64::MIN, i64::MAX), "The most tokens over the whole case.")],
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
            return Outcome::Failed(Failure::new("the agent did not report its tokens").at(self.max.span, "not known"));
        };
        let max = self.max.value;
        if i128::from(used) <= i128::from(max) {
            return Outcome::Held;
        }
        let failure = Failure::new(format!("{used} tokens are more than {max}"));
        Outcome::Failed(failure.at(self.max.span, format!("{used} were used")).detail("", max, used))
    }
}
