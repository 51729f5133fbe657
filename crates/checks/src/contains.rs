//! # What it checks
//! What the agent said contains this text, letter for letter: its text, or its final output (as compact JSON where that is
//! not a text). Several texts must all be contained.
//!
//! # Why
//! A fact that has to be in the answer, whatever words surround it.
//!
//! # Example
//! ```yaml
//! checks:
//!   - contains: refunded
//!   - not: { contains: [error, sorry] }
//! ```

use agentci_plan::{Failure, Node, Outcome, Spanned, read};
use agentci_trace::Trace;

use crate::compile::Compiler;
use crate::evaluate::Evaluate;

/// How much of what was said is shown.
const SHOWN: usize = 200;

#[derive(Debug)]
struct Contains {
    texts: Vec<Spanned<String>>,
}

pub(crate) fn compile(arguments: &Node, compiler: &mut Compiler<'_>) -> Option<Box<dyn Evaluate>> {
    let texts = read::one_or_more_texts(arguments, "contains", &mut compiler.problems)?;
    Some(Box::new(Contains { texts }))
}

impl Evaluate for Contains {
    fn evaluate(&self, trace: &Trace) -> Outcome {
        let said = trace.text();
        match self.texts.iter().find(|text| !said.contains(&text.value)) {
            None => Outcome::Held,
            Some(text) => Outcome::Failed(
                Failure::new(format!("the agent did not say `{}`", text.value))
                    .at(text.span, "not in what the agent said")
                    .note(quote(&said)),
            ),
        }
    }

    /// Negated, none of the texts may be there.
    fn evaluate_negated(&self, trace: &Trace) -> Outcome {
        let said = trace.text();
        match self.texts.iter().find(|text| said.contains(&text.value)) {
            None => Outcome::Held,
            Some(text) => Outcome::Failed(
                Failure::new(format!("the agent said `{}`", text.value))
                    .at(text.span, "the agent said this")
                    .note(quote(&said)),
            ),
        }
    }
}

fn quote(said: &str) -> String {
    if said.is_empty() {
        return "the agent said nothing".into();
    }
    let mut short: String = said.chars().take(SHOWN).collect();
    if short.len() < said.len() {
        short.push_str("...");
    }
    format!("the agent said: {short}")
}
