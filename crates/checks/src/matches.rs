//! # What it checks
//! The answer matches this regular expression. The answer is the agent's text, or its final output (as compact JSON if
//! it is not a string). The pattern may match anywhere; `^` and `$` match at the start and the end of the whole text.
//! `ignore_case` makes the comparison case-insensitive. Several patterns must all match.
//!
//! A check of a case looks at its last turn, a check of a turn at that turn. With `of: conversation` it looks at the
//! text of all turns, one line each. With `of: output` it looks only at the final output, as JSON with sorted keys if
//! it is not a string; `null` counts as empty. If the output is JSON, its escapes are resolved: `Caf\u00e9` counts as
//! `Café`. Under `not`, the check searches everything that the agent sent in every turn: its text, its data, and each
//! string in the data.
//!
//! # Why
//! The form of a fact is known, but not its exact text: an order number, a date, one of a few words.
//!
//! # Example
//! ```yaml
//! checks:
//!   - matches: 'order [A-Z]-\d+'
//!   - not: { matches: ['\bsorry\b', '\berror\b'] }
//!   - matches: { pattern: refunded|paid back, ignore_case: true }
//! ```

use std::sync::Arc;

use agentci_source::Node;
use agentci_source::shape::{CheckShape, Kind, Shape, optional, required};
use agentci_trace::{OutputSpelling, Trace};
use agentci_verdict::{Failure, Outcome};

use crate::compiler::Compiler;
use crate::evaluate::Evaluate;
use crate::output_words::{WordScope, quote, read_words};
use crate::pattern::PlacedPattern;
use agentci_text::passage;

#[derive(Debug)]
struct Matches {
    patterns: Vec<PlacedPattern>,
    of: WordScope,
}

/// How suites write this check.
pub(crate) const SHAPE: CheckShape = CheckShape {
    name: "matches",
    about: "The answer matches these regular expressions.",
    arguments: Kind::Either(&[Kind::OneOrMore(&Kind::Text), Kind::Shape(&ARGUMENTS)]),
};

static ARGUMENTS: Shape = Shape::new(
    "`matches`",
    "Patterns, and how to search for them.",
    &[
        required("pattern", Kind::OneOrMore(&Kind::Text), "A regular expression, or several that must all match."),
        optional("ignore_case", Kind::Truth, "Whether to ignore case. Default: false."),
        optional("of", Kind::Choice(&WordScope::WORDS), WordScope::ABOUT),
    ],
);

pub(crate) fn compile(arguments: &Node, compiler: &mut Compiler<'_>) -> Option<Arc<dyn Evaluate>> {
    let (patterns, ignore_case, of) = read_words(arguments, &ARGUMENTS, "pattern", compiler)?;
    let patterns = PlacedPattern::read_all(patterns, "matches", ignore_case, compiler)?;
    Some(Arc::new(Matches { patterns, of }))
}

impl Evaluate for Matches {
    fn weight(&self) -> u64 {
        self.patterns.iter().map(PlacedPattern::weight).fold(64, u64::saturating_add)
    }

    fn evaluate(&self, trace: &Trace) -> Outcome {
        // A string inside a larger answer is not the answer: `^yes$` does not match a field with this value.
        let said: Vec<OutputSpelling> = self.of.demanded(trace).into_iter().filter(|said| !said.is_part).collect();
        let matched = |pattern: &PlacedPattern| said.iter().any(|said| pattern.is_in(&said.text));
        let missing: Vec<&PlacedPattern> = self.patterns.iter().filter(|pattern| !matched(pattern)).collect();
        let Some(first) = missing.first() else { return Outcome::Passed };
        let list: Vec<String> = missing.iter().map(|pattern| pattern.shown()).collect();
        Outcome::Failed(
            Failure::new(format!("the answer does not match {}", list.join(", ")))
                .at(first.span, "not in the answer")
                .note(quote(&self.of.text(trace))),
        )
    }

    /// Negated, none of the patterns may match.
    fn evaluate_negated(&self, trace: &Trace) -> Outcome {
        let said = self.of.forbidden(trace);
        let found = |pattern: &PlacedPattern| {
            let hit = |said: &'_ OutputSpelling| pattern.find(&said.text).map(|range| passage(&said.text, range));
            said.iter().find_map(hit).map(|passage| (pattern.span, pattern.shown(), passage))
        };
        let found: Vec<_> = self.patterns.iter().filter_map(found).collect();
        let Some((span, ..)) = found.first() else { return Outcome::Passed };
        let list: Vec<&str> = found.iter().map(|(_, pattern, _)| pattern.as_str()).collect();
        let mut failure = Failure::new(format!("the answer matches {}, which `not` forbids", list.join(", ")))
            .at(*span, "in the answer");
        for (_, pattern, passage) in &found {
            failure = failure.note(format!("{pattern} matches in: {passage}"));
        }
        Outcome::Failed(failure)
    }
}
