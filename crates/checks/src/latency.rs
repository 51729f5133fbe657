//! # What it checks
//! The answer took at most `max_ms` milliseconds. If the model's responses report their latency (those of a scripted
//! model do), that counts; otherwise it is the time from the first event to the last.
//!
//! # Why
//! A slow answer is a wrong one for the user who waits. To stop the case instead, use the limit `wall`.
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

/// How suites write this check.
pub(crate) const SHAPE: CheckShape = CheckShape {
    name: "latency",
    about: "The answer took at most this many milliseconds.",
    arguments: Kind::Shape(&ARGUMENTS),
};

static ARGUMENTS: Shape =
    Shape::new("`latency`", "A time limit.", &[required("max_ms", Kind::Number, "Maximum time in milliseconds.")]);

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
            return Outcome::Passed;
        }
        let failure = Failure::new(format!("the answer took {took:.1} ms, the limit is {max} ms"));
        Outcome::Failed(failure.at(self.max_ms.span, format!("it took {took:.1} ms")).detail("", max, took))
    }

    fn forbidden(&self, trace: &Trace) -> Failure {
        let (took, max) = (latency_ms(trace), self.max_ms.value);
        let message = format!("the answer took {took:.1} ms, within the limit of {max} ms, which `not` forbids");
        Failure::new(message).at(self.max_ms.span, format!("it took {took:.1} ms"))
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
