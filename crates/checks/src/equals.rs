//! # What it checks
//! The agent's final output is this value: objects whatever the order of their keys, numbers by value (`1` is `1.0`), texts letter
//! for letter. When the value is an object or a list and the final output is a text, the text is read as JSON first, or the
//! JSON between fences in it; a failure then says `equals (parsed)`.
//!
//! The output of a case is that of its last turn. Without any output the check fails, negated or not.
//!
//! # Why
//! An answer that a program reads must be right as a whole.
//!
//! # Example
//! ```yaml
//! checks:
//!   - equals: Paris
//!   - equals: { keywords: [AI, agents], count: 2 }
//! ```

use std::borrow::Cow;
use std::sync::Arc;

use agentci_source::shape::{CheckShape, ValueKind};
use agentci_source::{Node, Reading, Span, read};
use agentci_trace::Trace;
use agentci_verdict::{Failure, Outcome};
use serde_json::Value;

use crate::call_words::cut;
use crate::compiler::Compiler;
use crate::equality::difference;
use crate::evaluate::{Evaluate, no_output};
use crate::output::structured;

#[derive(Debug)]
struct Equals {
    value: Value,
    span: Span,
}

/// What it is given.
pub(crate) const SHAPE: CheckShape =
    CheckShape { name: "equals", about: "The agent's final output is this value.", arguments: ValueKind::Data };

pub(crate) fn compile(arguments: &Node, compiler: &mut Compiler<'_>) -> Option<Arc<dyn Evaluate>> {
    let value = read::data(arguments, "equals", Reading::Core, &mut compiler.problems)?;
    Some(Arc::new(Equals { value, span: arguments.span }))
}

impl Evaluate for Equals {
    fn evaluate(&self, trace: &Trace) -> Outcome {
        let Some(output) = trace.output().value() else { return no_output() };
        let whole = self.value.is_object() || self.value.is_array();
        let (seen, parsed) = structured(&output).filter(|_| whole).unwrap_or((Cow::Borrowed(&*output), false));
        let Some(detail) = difference(&self.value, &seen) else { return Outcome::Held };
        let how = if parsed { "equals (parsed): " } else { "" };
        let at = if detail.path.is_empty() { String::new() } else { format!(" at {}", detail.path) };
        let message = format!(
            "{how}the final output is not as asked{at}: {} instead of {}",
            cut(&detail.actual),
            cut(&detail.expected)
        );
        let mut failure = Failure::new(message)
            .at(self.span, "the final output is another")
            .note(format!("the final output is {}", cut(&seen)));
        failure.details = vec![detail];
        Outcome::Failed(failure)
    }
}
