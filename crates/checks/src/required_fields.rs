//! # What it checks
//! The agent's final output has these keys at its top level; a key whose value is null counts. A final output that is
//! a string is parsed as JSON first if it contains an object, alone or in a fenced block.
//!
//! The output of a case is that of its last turn. Without any output the check fails, also under `not`.
//!
//! # Why
//! It is the simplest contract on the shape of a result, before a schema is worth writing.
//!
//! # Example
//! ```yaml
//! checks:
//!   - required_fields: [category, reply]
//! ```

use std::borrow::Cow;
use std::sync::Arc;

use agentci_source::shape::{CheckShape, Kind};
use agentci_source::{Node, Spanned, read};
use agentci_trace::Trace;
use agentci_verdict::{Failure, Outcome};
use serde_json::Value;

use crate::compiler::Compiler;
use crate::evaluate::{Evaluate, no_output};
use crate::output::structured;

#[derive(Debug)]
struct RequiredFields {
    fields: Vec<Spanned<String>>,
}

/// How suites write this check.
pub(crate) const SHAPE: CheckShape = CheckShape {
    name: "required_fields",
    about: "The agent's final output has these keys.",
    arguments: Kind::OneOrMore(&Kind::Text),
};

pub(crate) fn compile(arguments: &Node, compiler: &mut Compiler<'_>) -> Option<Arc<dyn Evaluate>> {
    let fields = read::one_or_more_texts(arguments, "required_fields", &mut compiler.problems)?;
    Some(Arc::new(RequiredFields { fields }))
}

impl Evaluate for RequiredFields {
    fn evaluate(&self, trace: &Trace) -> Outcome {
        let Some(output) = trace.output().value() else { return no_output() };
        let output = structured(&output).map_or(Cow::Borrowed(&*output), |(read, _)| read);
        let missing: Vec<&Spanned<String>> =
            self.fields.iter().filter(|field| output.get(field.value.as_str()).is_none()).collect();
        let Some(first) = missing.first() else { return Outcome::Passed };
        let names: Vec<&str> = missing.iter().map(|field| field.value.as_str()).collect();
        let present: Vec<&String> = output.as_object().into_iter().flat_map(|map| map.keys()).collect();
        let has = if present.is_empty() { "no keys".to_owned() } else { read::quoted_list(&present) };
        let failure = Failure::new(format!("the final output lacks {}", read::quoted_list(&names)))
            .at(first.span, "not in the final output")
            .note(format!("the final output has {has}"));
        let detail = |failure: Failure, name: &&str| failure.detail(&format!("/{name}"), "present", Value::Null);
        Outcome::Failed(names.iter().fold(failure, detail))
    }

    fn forbidden(&self, _trace: &Trace) -> Failure {
        let names: Vec<&str> = self.fields.iter().map(|field| field.value.as_str()).collect();
        Failure::new(format!("the final output has {}, which `not` forbids", read::quoted_list(&names)))
    }
}
