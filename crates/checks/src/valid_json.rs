//! # What it checks
//! What the agent said is one JSON value, white space around it aside. `NaN` and `Infinity` are not JSON.
//!
//! # Why
//! A program is to read the answer; that it looks like JSON is not enough.
//!
//! # Example
//! ```yaml
//! checks:
//!   - valid_json
//! ```

use std::sync::Arc;

use agentci_source::shape::{CheckShape, Kind};
use agentci_source::{Node, read};
use agentci_trace::Trace;
use agentci_verdict::{Failure, Outcome};
use serde::de::IgnoredAny;

use crate::compiler::Compiler;
use crate::evaluate::Evaluate;
use crate::output_words::quote;

#[derive(Debug)]
struct ValidJson;

/// What it is given.
pub(crate) const SHAPE: CheckShape =
    CheckShape { name: "valid_json", about: "What the agent said is one JSON value.", arguments: Kind::Asked };

pub(crate) fn compile(arguments: &Node, compiler: &mut Compiler<'_>) -> Option<Arc<dyn Evaluate>> {
    read::asked(arguments, "valid_json", &mut compiler.problems)?;
    Some(Arc::new(ValidJson))
}

impl Evaluate for ValidJson {
    fn evaluate(&self, trace: &Trace) -> Outcome {
        let said = trace.output().text();
        match serde_json::from_str::<IgnoredAny>(said.trim()) {
            Ok(_) => Outcome::Held,
            Err(error) => {
                Outcome::Failed(Failure::new(format!("the agent's answer is not JSON: {error}")).note(quote(&said)))
            }
        }
    }
}
