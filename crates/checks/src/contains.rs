//! # What it checks
//! What the agent said contains this text exactly, without the line end that closes a YAML block: its text, or its final output (as
//! compact JSON where that is not a string). Several texts must all be contained. `ignore_case` makes the comparison
//! case-insensitive. With `of: output`, the text may be any value; it is written as JSON in the same way as the output, and keeps its
//! line end.
//!
//! A check of a case looks at its last turn, a check of a turn at that turn. With `of: conversation` it looks at what was said in all
//! turns, one line each. With `of: output` only the final output counts, as JSON with sorted keys where it is not a string; `null` is
//! nothing. Where the output is JSON, its escapes are resolved: `Caf\u00e9` counts as `Café`. With `not`, everything that the agent put
//! out counts, in every turn: text, data beside the text, and each string in it.
//!
//! # Why
//! A fact that has to be in the answer, whatever words surround it.
//!
//! # Example
//! ```yaml
//! checks:
//!   - contains: refunded
//!   - not: { contains: [error, sorry] }
//!   - contains: { text: refunded, ignore_case: true }
//!   - contains: { text: your order number, of: conversation }
//!   - contains: { text: { status: paid }, of: output }
//! ```

use std::borrow::Cow;
use std::sync::Arc;

use agentci_source::shape::{CheckShape, Kind, Shape, optional, required};
use agentci_source::{Node, Spanned, read};
use agentci_trace::{OutputSpelling, Trace};
use agentci_verdict::{Failure, Outcome};

use crate::compiler::{Compiler, data};
use crate::evaluate::Evaluate;
use crate::output_words::{WordScope, quote, read_words};
use crate::spelling::sorted;

#[derive(Debug)]
struct Contains {
    texts: Box<[Spanned<String>]>,
    ignore_case: bool,
    of: WordScope,
}

/// What it is given.
pub(crate) const SHAPE: CheckShape = CheckShape {
    name: "contains",
    about: "What the agent said contains these texts.",
    arguments: Kind::Either(&[Kind::OneOrMore(&Kind::Text), Kind::Shape(&ARGUMENTS)]),
};

static ARGUMENTS: Shape = Shape::new(
    "`contains`",
    "Texts, and how they are looked for.",
    &[
        required("text", Kind::Data, "A text, or several that must all be there; with `of: output` any value."),
        optional("ignore_case", Kind::Truth, "Whether capital and small letters count as the same."),
        optional("of", Kind::Choice(&WordScope::WORDS), WordScope::ABOUT),
    ],
);

pub(crate) fn compile(arguments: &Node, compiler: &mut Compiler<'_>) -> Option<Arc<dyn Evaluate>> {
    let (texts, ignore_case, of) = read_words(arguments, &ARGUMENTS, "text", compiler)?;
    let problems = &mut compiler.problems;
    let texts = match of {
        WordScope::Said | WordScope::Conversation => {
            read::one_or_more_texts(texts, "contains", problems)?.into_iter().map(without_line_end).collect()
        }
        WordScope::Output => [Spanned::new(sorted(&data(texts, "text", problems)?).into_owned(), texts.span)].into(),
    };
    Some(Arc::new(Contains { texts, ignore_case, of }))
}

/// A block of YAML (`|`) closes with a line end that nobody asked for.
pub(crate) fn without_line_end(text: Spanned<String>) -> Spanned<String> {
    let trimmed = text.value.strip_suffix('\n').map(|line| line.strip_suffix('\r').unwrap_or(line));
    match trimmed.filter(|trimmed| !trimmed.is_empty()) {
        Some(trimmed) => Spanned::new(trimmed.to_owned(), text.span),
        None => text,
    }
}

impl Contains {
    fn spelt<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if self.ignore_case { Cow::Owned(text.to_lowercase()) } else { Cow::Borrowed(text) }
    }

    /// Whether a text is in what was said.
    fn is_in(&self, text: &Spanned<String>, said: &OutputSpelling) -> bool {
        self.spelt(&said.text).contains(&*self.spelt(&text.value))
    }
}

impl Evaluate for Contains {
    fn evaluate(&self, trace: &Trace) -> Outcome {
        let said = self.of.demanded(trace);
        match self.texts.iter().find(|text| !said.iter().any(|said| self.is_in(text, said))) {
            None => Outcome::Held,
            Some(text) => Outcome::Failed(
                Failure::new(format!("the agent did not say `{}`", text.value))
                    .at(text.span, "not in what the agent said")
                    .note(quote(&self.of.text(trace))),
            ),
        }
    }

    /// Negated, none of the texts may be there.
    fn evaluate_negated(&self, trace: &Trace) -> Outcome {
        let said = self.of.forbidden(trace);
        let found = said.iter().find_map(|said| Some((said, self.texts.iter().find(|text| self.is_in(text, said))?)));
        match found {
            None => Outcome::Held,
            Some((said, text)) => Outcome::Failed(
                Failure::new(format!("the agent said `{}`", text.value))
                    .at(text.span, "the agent said this")
                    .note(quote(&said.text)),
            ),
        }
    }
}
