//! # What it checks
//! The agent's final output has this type: `string`, `number`, `boolean`, `array`, `object` or `null`. A string that
//! contains an object or a list, alone or in a fenced block, is `object` or `array` as well as `string`.
//!
//! The output of a case is that of its last turn. Without any output the check fails, also under `not`.
//!
//! # Why
//! It is the least that a program expects of an answer before it reads it.
//!
//! # Example
//! ```yaml
//! checks:
//!   - type: object
//! ```

use std::sync::Arc;

use agentci_source::shape::{CheckShape, Kind};
use agentci_source::{Node, Span, read};
use agentci_text::ValueType;
use agentci_trace::Trace;
use agentci_verdict::{Failure, Outcome};

use crate::call_words::cut;
use crate::compiler::Compiler;
use crate::evaluate::{Evaluate, no_output};
use crate::output::structured;

#[derive(Debug)]
struct JsonType {
    name: &'static str,
    span: Span,
}

const NAMES: [&str; 6] = ["string", "number", "boolean", "array", "object", "null"];

/// How suites write this check.
pub(crate) const SHAPE: CheckShape = CheckShape {
    name: "type",
    about: "The agent's final output is of this type.",
    arguments: Kind::Either(&[Kind::Choice(&NAMES), Kind::Nothing]),
};

pub(crate) fn compile(arguments: &Node, compiler: &mut Compiler<'_>) -> Option<Arc<dyn Evaluate>> {
    let name = read::choice(arguments, "type", &NAMES.map(|name| (name, name)), &mut compiler.problems)?;
    Some(Arc::new(JsonType { name, span: arguments.span }))
}

impl Evaluate for JsonType {
    fn evaluate(&self, trace: &Trace) -> Outcome {
        let Some(output) = trace.output().value() else { return no_output() };
        let own = ValueType::of(&output).name();
        let held = structured(&output).map(|(read, _)| ValueType::of(&read).name());
        if own == self.name || held == Some(self.name) {
            return Outcome::Passed;
        }
        let message = format!("the final output is of type `{own}`, expected `{}`", self.name);
        let failure = Failure::new(message).at(self.span, format!("it is of type `{own}`"));
        Outcome::Failed(failure.detail("", self.name, own).note(format!("the final output is {}", cut(&output))))
    }

    fn forbidden(&self, _trace: &Trace) -> Failure {
        let message = format!("the final output is of type `{}`, which `not` forbids", self.name);
        Failure::new(message).at(self.span, "it is of this type")
    }
}
