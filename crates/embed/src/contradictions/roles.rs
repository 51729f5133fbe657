//! Exchanged roles: `from Berlin to Madrid` against `from Madrid to Berlin`, `Anna owes Ben` against `Ben owes Anna`.

use super::contradiction;
use super::opposite::parity;
use super::part::{MatchedParts, Side, Verdict};
use super::tables::stem_is_in;
use super::text::ClauseWord;

const COVERAGE: f64 = 0.8;
const ANSWER_COVERAGE: f64 = 0.75;
/// The most words with a meaning of their own.
const SIMPLE_EXPECTED: usize = 10;
const SIMPLE_ANSWER: usize = 12;
/// Prepositions that may be exchanged without a change of roles.
const LOOSE: [&str; 7] = ["with", "by", "as", "than", "about", "like", "of"];

/// What a word is in its clause.
#[derive(Debug, PartialEq, Eq)]
enum ClauseRole<'w> {
    Possessive,
    Governed(&'w str),
    None,
}

pub(super) fn judge(case: &MatchedParts<'_, '_>) -> Verdict {
    if !is_comparable(case) {
        return Verdict::Open;
    }
    let shared: Vec<(usize, usize)> =
        case.alignment.pairs.iter().filter_map(|pair| shared(case, (pair.expected, pair.answer))).collect();
    for (index, &first) in shared.iter().enumerate() {
        for &second in &shared[index + 1..] {
            let (x, y) = if first.0 < second.0 { (first, second) } else { (second, first) };
            if x.1 > y.1 && are_exchanged(case, x, y) {
                let found = contradiction("roles", true, case.expected.all(), case.answer.all());
                return Verdict::Found(found);
            }
        }
    }
    Verdict::Open
}

fn is_comparable(case: &MatchedParts<'_, '_>) -> bool {
    let relative = |side: &Side<'_, '_>| side.has(&["who", "which", "whom", "whose"]);
    let unclear = |side: &Side<'_, '_>| {
        side.has(&["between", "both"])
            || side.content().any(|(_, word)| stem_is_in("say", &word.stem) || stem_is_in("symmetric", &word.stem))
    };
    case.alignment.coverage >= COVERAGE
        && case.alignment.answer_coverage >= ANSWER_COVERAGE
        && case.expected.content().count() <= SIMPLE_EXPECTED
        && case.answer.content().count() <= SIMPLE_ANSWER
        && relative(&case.expected) == relative(&case.answer)
        && !unclear(&case.expected)
        && !unclear(&case.answer)
        && parity(&case.expected) == parity(&case.answer)
}

/// A word that both sides have once, in the same form.
fn shared(case: &MatchedParts<'_, '_>, (expected, said): (usize, usize)) -> Option<(usize, usize)> {
    let (one, other) = (case.expected.word(expected)?, case.answer.word(said)?);
    let is_unique = |side: &Side<'_, '_>, word: &ClauseWord<'_>| {
        side.content().filter(|(_, other)| other.stem == word.stem).count() == 1
    };
    let same = singular(&one.word) == singular(&other.word);
    (same && is_unique(&case.expected, one) && is_unique(&case.answer, other)).then_some((expected, said))
}

fn singular(word: &str) -> &str {
    word.strip_suffix("es").or_else(|| word.strip_suffix('s')).unwrap_or(word)
}

fn role<'c>(side: &Side<'c, '_>, at: usize) -> ClauseRole<'c> {
    let Some(word) = side.word(at) else { return ClauseRole::None };
    if word.possessive {
        return ClauseRole::Possessive;
    }
    let preposition = word.preposition.and_then(|preposition| side.word(preposition));
    preposition.map_or(ClauseRole::None, |preposition| ClauseRole::Governed(&preposition.word))
}

/// Whether two words have each other's role; `x` is before `y` in the expected text, and after it in the answer.
fn are_exchanged(case: &MatchedParts<'_, '_>, x: (usize, usize), y: (usize, usize)) -> bool {
    let (of_x, of_y) = (role(&case.expected, x.0), role(&case.expected, y.0));
    let (said_x, said_y) = (role(&case.answer, x.1), role(&case.answer, y.1));
    if of_x != said_y || of_y != said_x {
        return false;
    }
    let (gap, gap_said) = (between(&case.expected, x.0, y.0), between(&case.answer, y.1, x.1));
    let joined = |gap: &[&ClauseWord<'_>]| gap.is_empty() || gap.iter().any(|word| word.is_any(&["and", "or"]));
    if joined(&gap) || joined(&gap_said) {
        return false;
    }
    if of_x != of_y {
        let loose =
            |role: &ClauseRole<'_>| matches!(role, ClauseRole::Governed(preposition) if LOOSE.contains(preposition));
        let one_sided = |one: &ClauseRole<'_>, other: &ClauseRole<'_>| {
            *other == ClauseRole::None && matches!(one, ClauseRole::Governed("from" | "for"))
        };
        return !(loose(&of_x) || loose(&of_y) || one_sided(&of_x, &of_y) || one_sided(&of_y, &of_x));
    }
    let acts = gap
        .iter()
        .filter(|word| word.content)
        .any(|word| gap_said.iter().any(|other| other.content && super::align::relation(word, other).sign() > 0));
    of_x == ClauseRole::None && acts && is_passive(&case.expected) == is_passive(&case.answer)
}

fn between<'c, 'a>(side: &Side<'c, 'a>, from: usize, to: usize) -> Vec<&'c ClauseWord<'a>> {
    (from + 1..to).filter_map(|at| side.word(at)).collect()
}

fn is_passive(side: &Side<'_, '_>) -> bool {
    let words = side.words();
    let participle = words.windows(2).any(|pair| pair[0].is_in("be") && pair[1].word.ends_with("ed"));
    participle || side.has(&["by"])
}
