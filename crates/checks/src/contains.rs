//! # What it checks
//! The answer contains this string. The answer is the agent's text, or its final output (as compact JSON if it is not
//! a string). The comparison is exact, except that the newline at the end of a YAML block is ignored; `ignore_case`
//! makes it case-insensitive. Several strings must all be contained. With `of: output`, `text` may be any value; it is
//! written as JSON in the same way as the output, and keeps its newline.
//!
//! A check of a case looks at its last turn, a check of a turn at that turn. With `of: conversation` it looks at the
//! text of all turns, one line each. With `of: output` it looks only at the final output, as JSON with sorted keys if
//! it is not a string; `null` counts as empty. If the output is JSON, its escapes are resolved: `Caf\u00e9` counts as
//! `Café`. Under `not`, the check searches everything that the agent sent in every turn: its text, its data, and each
//! string in the data.
//!
//! # Why
//! A fact must be in the answer, whatever the words around it.
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
use agentci_text::one_line;

#[derive(Debug)]
struct Contains {
    texts: Box<[Spanned<String>]>,
    ignore_case: bool,
    of: WordScope,
}

/// How suites write this check.
pub(crate) const SHAPE: CheckShape = CheckShape {
    name: "contains",
    about: "The answer contains these strings.",
    arguments: Kind::Either(&[Kind::OneOrMore(&Kind::Text), Kind::Shape(&ARGUMENTS)]),
};

static ARGUMENTS: Shape = Shape::new(
    "`contains`",
    "Strings, and how to search for them.",
    &[
        required("text", Kind::Data, "A string, or several that must all be contained; with `of: output`, any value."),
        optional("ignore_case", Kind::Truth, "Whether to ignore case. Default: false."),
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

/// Removes the newline at the end of a YAML block (`|`), which is rarely meant.
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

    /// Whether the answer contains a text.
    fn is_in(&self, text: &Spanned<String>, said: &OutputSpelling) -> bool {
        self.spelt(&said.text).contains(&*self.spelt(&text.value))
    }
}

impl Evaluate for Contains {
    fn evaluate(&self, trace: &Trace) -> Outcome {
        let said = self.of.demanded(trace);
        match self.texts.iter().find(|text| !said.iter().any(|said| self.is_in(text, said))) {
            None => Outcome::Passed,
            Some(text) => Outcome::Failed(
                Failure::new(format!("the answer does not contain `{}`", one_line(&text.value)))
                    .at(text.span, "not in the answer")
                    .note(quote(&self.of.text(trace))),
            ),
        }
    }

    /// Negated, the answer may contain none of the texts.
    fn evaluate_negated(&self, trace: &Trace) -> Outcome {
        let said = self.of.forbidden(trace);
        let found = said.iter().find_map(|said| Some((said, self.texts.iter().find(|text| self.is_in(text, said))?)));
        match found {
            None => Outcome::Passed,
            Some((said, text)) => Outcome::Failed(
                Failure::new(format!("the answer contains `{}`, which `not` forbids", one_line(&text.value)))
                    .at(text.span, "in the answer")
                    .note(quote(&said.text)),
            ),
        }
    }
}
