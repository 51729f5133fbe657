//! # What it checks
//! The answer is one JSON value; white space around it is ignored. `NaN` and `Infinity` are not JSON.
//!
//! # Why
//! A program will read the answer; that it looks like JSON is not enough.
//!
//! # Example
//! ```yaml
//! checks:
//!   - valid_json
//! ```

use std::sync::Arc;

use agentci_source::shape::{CheckShape, Kind};
use agentci_source::{Node, read};
use agentci_text::json_error;
use agentci_trace::Trace;
use agentci_verdict::{Failure, Outcome};
use serde::de::IgnoredAny;

use crate::compiler::Compiler;
use crate::evaluate::Evaluate;
use crate::output_words::quote;

#[derive(Debug)]
struct ValidJson;

/// How suites write this check.
pub(crate) const SHAPE: CheckShape =
    CheckShape { name: "valid_json", about: "The answer is one JSON value.", arguments: Kind::Asked };

pub(crate) fn compile(arguments: &Node, compiler: &mut Compiler<'_>) -> Option<Arc<dyn Evaluate>> {
    read::asked(arguments, "valid_json", &mut compiler.problems)?;
    Some(Arc::new(ValidJson))
}

impl Evaluate for ValidJson {
    fn evaluate(&self, trace: &Trace) -> Outcome {
        let said = trace.output().text();
        match serde_json::from_str::<IgnoredAny>(said.trim()) {
            Ok(_) => Outcome::Passed,
            Err(error) => Outcome::Failed(
                Failure::new(format!("the answer is not JSON: {}", json_error(&error))).note(quote(&said)),
            ),
        }
    }

    fn forbidden(&self, trace: &Trace) -> Failure {
        Failure::new("the answer is valid JSON, which `not` forbids").note(quote(&trace.output().text()))
    }
}
