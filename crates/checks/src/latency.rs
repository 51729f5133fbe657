//! # What it checks
//! The answer took at most `max_ms` milliseconds. What a model's answers say about their own latency counts (that of a
//! scripted model does); where they say nothing, it is the time from the first turn to the last thing that happened.
//!
//! # Why
//! A slow answer is a wrong one for whoever waits. A limit of the same kind (`wall`) stops the case instead.
//!
//! # Example
//! ```yaml
//! checks:
//!   - latency: { max_ms: 500 }
//! ```

use std::sync::Arc;

use agentci_source::shape::{CheckShape, Kind, Shape, required};
use agentci_source::{Node, Spanned, read};
use agentci_trace::{EventKind as Happened, Trace};
use agentci_verdict::{Failure, Outcome};
use serde_json::Value;

use crate::compiler::{Compiler, spanned};
use crate::evaluate::Evaluate;

#[derive(Debug)]
struct Latency {
    max_ms: Spanned<f64>,
}

/// What it is given.
pub(crate) const SHAPE: CheckShape = CheckShape {
    name: "latency",
    about: "The answer took at most so many milliseconds.",
    arguments: Kind::Shape(&ARGUMENTS),
};

static ARGUMENTS: Shape =
    Shape::new("`latency`", "A limit on time.", &[required("max_ms", Kind::Number, "The most milliseconds.")]);

pub(crate) fn compile(arguments: &Node, compiler: &mut Compiler<'_>) -> Option<Arc<dyn Evaluate>> {
    let mut arguments = compiler.open(&ARGUMENTS, arguments)?;
    let max_ms = arguments.required("max_ms", spanned(read::number));
    arguments.finish()?;
    let max_ms = max_ms?;
    if !max_ms.value.is_finite() {
        compiler.problems.error(max_ms.span, "`max_ms` must be a number of milliseconds", "too large");
        return None;
    }
    Some(Arc::new(Latency { max_ms }))
}

impl Evaluate for Latency {
    fn evaluate(&self, trace: &Trace) -> Outcome {
        let took = latency_ms(trace);
        let max = self.max_ms.value;
        if took <= max {
            return Outcome::Held;
        }
        let failure = Failure::new(format!("{took:.1} ms are more than {max} ms"));
        Outcome::Failed(failure.at(self.max_ms.span, format!("it took {took:.1} ms")).detail("", max, took))
    }
}

/// How long the answer took, in milliseconds.
pub fn latency_ms(trace: &Trace) -> f64 {
    let stated: f64 = trace
        .events()
        .iter()
        .filter_map(|event| {
            let Happened::ModelCall { response, .. } = &event.kind else { return None };
            response.get("latency_ms").and_then(Value::as_f64)
        })
        .sum();
    if stated > 0.0 {
        return stated;
    }
    let moments = || trace.events().iter().map(|event| event.at.offset_us);
    let micros = moments().max().unwrap_or_default() - moments().min().unwrap_or_default();
    std::time::Duration::from_micros(micros).as_secs_f64() * 1000.0
}
