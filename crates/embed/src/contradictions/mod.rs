//! Finds contradictions between an expected text and an answer, which an embedding cannot see: a negation, an opposite,
//! exchanged roles or order, a quantifier, one of several exclusive things, a yes for a no, a question instead of an
//! answer.
//!
//! [`find`] returns at most one contradiction. One that is certain is told from one that is likely: an answer that
//! rewords a negation without a negating word looks like its opposite. The rules are English; of German, Spanish and
//! French texts only those are judged that differ in nothing but a negation, or in the direction of a journey. What the
//! rules know about words is in the tables of `data`.

mod align;
mod cut;
mod exclusive;
mod language;
mod modality;
mod negation;
mod opposite;
mod order;
mod part;
mod quantifier;
mod roles;
mod stem;
mod tables;
mod text;
mod tokens;
mod whole;

pub use language::unjudged;

use agentci_text::excerpt;
use agentci_verdict::Contradiction;

use language::NaturalLanguage;

/// The most words with a meaning of their own that are read of the expected text, and of the answer.
const MOST_EXPECTED: usize = 400;
const MOST_ANSWERED: usize = 4_000;
/// The most bytes of a text that are read.
const MOST_BYTES: usize = 256 << 10;
/// Words of other languages, up to which an answer may be a name or a number.
const WORDS_OF_A_VALUE: usize = 3;

/// A contradiction with the parts of both texts that matter.
fn contradiction(kind: &str, certain: bool, expected: &str, said: &str) -> Contradiction {
    /// The most characters that are shown of a text.
    const SHOWN: usize = 120;
    let short = |text: &str| excerpt(text.trim(), SHOWN).into_owned();
    Contradiction { kind: kind.into(), certain, expected: short(expected), said: short(said) }
}

/// Finds a contradiction between an expected text and an answer, the most certain one.
pub fn find(expected: &str, answer: &str) -> Option<Contradiction> {
    let read = |text: &'_ str| text.floor_char_boundary(MOST_BYTES);
    let (expected, answer) = (&expected[..read(expected)], &answer[..read(answer)]);
    if expected.split_whitespace().eq(answer.split_whitespace()) {
        return None;
    }
    match language::of_pair(expected, answer) {
        Some(NaturalLanguage::English) => english(expected, answer),
        Some(other) => language::differing(other, expected, answer),
        None => None,
    }
}

fn english(expected: &str, answer: &str) -> Option<Contradiction> {
    if let Some(found) = whole::yes_or_no(expected, answer).or_else(|| whole::question(expected, answer)) {
        return Some(found);
    }
    let statements = whole::without_questions(expected, answer);
    let wanted = text::AnalysedText::read(expected, MOST_EXPECTED);
    let said = text::AnalysedText::read(&statements, MOST_ANSWERED);
    let (found, coverage) = part::judge(expected, &statements, &wanted, &said);
    if found.as_ref().is_some_and(|found| found.certain) {
        return found;
    }
    whole::refusal(expected, &statements, coverage).or(found)
}
