//! # What it checks
//! The tools were called in this order; other calls may come between, and a name that is listed twice must be called twice.
//!
//! # Why
//! Some steps only make sense after others: look up before refunding, validate before charging.
//!
//! # Example
//! ```yaml
//! checks:
//!   - call_order: [search_docs, create_issue]
//! ```

use std::sync::Arc;

use agentci_plan::shape::{CheckShape, Kind};
use agentci_plan::{Failure, Node, Outcome, Spanned, read};
use agentci_trace::Trace;

use crate::called::observed;
use crate::compiler::Compiler;
use crate::evaluate::Evaluate;

#[derive(Debug)]
struct CallOrder {
    order: Vec<Spanned<String>>,
}

/// What it is given.
pub(crate) const SHAPE: CheckShape = CheckShape {
    name: "call_order",
    about: "The tools were called in this order.",
    arguments: Kind::List(&Kind::Text),
};

pub(crate) fn compile(arguments: &Node, compiler: &mut Compiler<'_>) -> Option<Arc<dyn Evaluate>> {
    let order = read::texts(arguments, "call_order", &mut compiler.problems)?;
    Some(Arc::new(CallOrder { order }))
}

impl Evaluate for CallOrder {
    fn evaluate(&self, trace: &Trace) -> Outcome {
        let calls = trace.calls();
        let mut wanted = self.order.iter().peekable();
        for call in &calls {
            wanted.next_if(|name| name.value == call.call.name);
        }
        let Some(missing) = wanted.peek() else { return Outcome::Held };
        let done: Vec<&str> = self
            .order
            .iter()
            .take_while(|name| !std::ptr::eq(*name, *missing))
            .map(|name| name.value.as_str())
            .collect();
        let name = &missing.value;
        let message = match done.last() {
            None => format!("`{name}` was not called"),
            Some(last) => format!("`{name}` was not called after `{last}`"),
        };
        Outcome::Failed(Failure::new(message.clone()).at(missing.span, message).note(observed(&calls)))
    }
}
