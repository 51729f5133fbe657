//! Negations and opposites: `approved` against `not approved` or `denied`.

use super::align::{AlignedPair, Relation};
use super::contradiction;
use super::order;
use super::part::{MatchedParts, Side, Verdict};

/// The coverage that a contradiction needs.
const OF_NEGATION: f64 = 0.6;
const OF_OPPOSITE: f64 = 0.5;
/// The coverage below which neither side may have words of its own.
const NEARLY_ALL: f64 = 0.75;
/// The coverage below which a negation that only the answer has is not certain.
const CERTAIN: f64 = 0.8;

/// How aligned words agree.
#[derive(Debug, Default)]
pub(super) struct Signs {
    pub(super) conflicts: Vec<AlignedPair>,
    pub(super) agrees: bool,
    /// Whether opposites agree: `not approved` and `denied`.
    opposites_agree: bool,
}

/// Compares what aligned words say, with their negations.
pub(super) fn signs(case: &MatchedParts<'_, '_>) -> Signs {
    let mut signs = Signs::default();
    for pair in &case.alignment.pairs {
        let (Some(one), Some(other)) = (case.expected.word(pair.expected), case.answer.word(pair.answer)) else {
            continue;
        };
        let opposite = pair.relation.sign() < 0;
        let counts = if opposite { !is_harmless(case, *pair) } else { one.focus.is_some() || other.focus.is_some() };
        if !counts {
            continue;
        }
        let odd = (one.negations + other.negations) % 2 == 1;
        if opposite == odd {
            signs.agrees = true;
            signs.opposites_agree |= opposite;
        } else {
            signs.conflicts.push(*pair);
        }
    }
    signs
}

/// Opposites that may both be true: `send` and `receive`, the `little` girl with the `large` nose.
fn is_harmless(case: &MatchedParts<'_, '_>, pair: AlignedPair) -> bool {
    let (Some(one), Some(other)) = (case.expected.word(pair.expected), case.answer.word(pair.answer)) else {
        return true;
    };
    let converse = one.meaning.converses.iter().any(|group| other.meaning.converses.contains(group));
    if converse && one.stem != other.stem {
        let before = |side: &Side<'_, '_>, at: usize| {
            side.content().take_while(|(word, _)| *word < at).last().map(|(word, _)| word)
        };
        let same = before(&case.expected, pair.expected).zip(before(&case.answer, pair.answer));
        return same.is_none_or(|(one, other)| case.relations.get(one, other).sign() <= 0);
    }
    let weak = matches!(pair.relation, Relation::Axis { strong: false, .. });
    let next = |side: &Side<'_, '_>, at: usize| side.word(at + 1).is_some_and(|word| word.content);
    weak && next(&case.expected, pair.expected)
        && next(&case.answer, pair.answer)
        && case.relations.get(pair.expected + 1, pair.answer + 1).sign() == 0
}

pub(super) fn judge(case: &MatchedParts<'_, '_>) -> Verdict {
    let signs = signs(case);
    let opposites = signs.conflicts.iter().filter(|pair| pair.relation.sign() < 0 && !signs.opposites_agree);
    let opposite = opposites.max_by_key(|pair| matches!(pair.relation, Relation::Axis { strong: true, .. }));
    let (pair, kind) = match opposite {
        Some(pair) => (pair, "opposite"),
        None if signs.agrees => return Verdict::Open,
        None => match signs.conflicts.first() {
            Some(pair) => (pair, "negation"),
            None => return Verdict::Open,
        },
    };
    let needed = if opposite.is_some() { OF_OPPOSITE } else { OF_NEGATION };
    if !is_about_the_same(case, *pair, needed) || is_limited(case) {
        return Verdict::Open;
    }
    if opposite.is_some() {
        let compared = case.expected.has(&["than"]) && case.answer.has(&["than"]);
        if compared && !order::has_same_sides(case) {
            return Verdict::Open;
        }
    } else if parity(&case.expected) == parity(&case.answer)
        || [&case.expected, &case.answer].iter().any(|side| side.has(&["unless", "until"]))
    {
        return Verdict::Open;
    }
    let certain = opposite.is_some() || (is_certain(case) && !is_corrected(case, *pair));
    let shown = (case.expected.with_negation(pair.expected), case.answer.with_negation(pair.answer));
    Verdict::Found(contradiction(kind, certain, &shown.0, &shown.1))
}

/// Whether both sides are about the same, apart from the pair in question.
fn is_about_the_same(case: &MatchedParts<'_, '_>, pair: AlignedPair, needed: f64) -> bool {
    let coverage = case.alignment.coverage;
    let others = case.alignment.pairs.iter().any(|other| !other.modal && *other != pair);
    let alone = case.expected.content().count() <= 1 || coverage >= 1.0;
    coverage >= needed && (others || alone) && (coverage >= NEARLY_ALL || left_over(case).contains(&false))
}

/// Whether each side has words without a partner.
fn left_over(case: &MatchedParts<'_, '_>) -> [bool; 2] {
    let expected = case.expected.content().any(|(at, _)| case.alignment.of_expected(at).is_none());
    let answer = case.answer.content().any(|(at, _)| case.alignment.of_answer(at).is_none());
    [expected, answer]
}

/// Whether `only` limits a side with words of its own.
fn is_limited(case: &MatchedParts<'_, '_>) -> bool {
    let left = left_over(case);
    (left[0] && case.expected.has(&["only"])) || (left[1] && case.answer.has(&["only"]))
}

/// Whether a side is negated an odd number of times, words such as `denied` included.
pub(super) fn parity(side: &Side<'_, '_>) -> bool {
    let negative = side
        .content()
        .filter(|(_, word)| word.sign < 0 || word.meaning.axes.iter().any(|pole| pole.strong && pole.sign < 0));
    (side.negators() + negative.count()) % 2 == 1
}

/// Whether the answer negates one thing to state another: `not delivered on Thursday but on Friday`. Then what is expected
/// is in a clause without the negation.
fn is_corrected(case: &MatchedParts<'_, '_>, pair: AlignedPair) -> bool {
    let negated = case.answer.word(pair.answer).is_some_and(|word| word.negations % 2 == 1);
    let elsewhere = |clause: &std::ops::Range<usize>| {
        let states = |at: usize| {
            let plain = case.answer.word(at).is_some_and(|word| word.negations == 0);
            plain && case.alignment.of_answer(at).is_some()
        };
        !clause.contains(&pair.answer) && clause.clone().any(states)
    };
    negated && case.answer.clauses().any(|clause| elsewhere(&clause))
}

/// Whether a negation cannot be worded differently on the other side.
fn is_certain(case: &MatchedParts<'_, '_>) -> bool {
    let (expected, answer) = (case.expected.negators(), case.answer.negators());
    let plain_expected = expected < answer;
    let (plain, aligned): (_, Box<dyn Fn(usize) -> bool>) = if plain_expected {
        (&case.expected, Box::new(|at| case.alignment.of_expected(at).is_some()))
    } else {
        (&case.answer, Box::new(|at| case.alignment.of_answer(at).is_some()))
    };
    let sequence = |side: &Side<'_, '_>| side.words().iter().any(|word| word.is_in("sequence"));
    let compares = |side: &Side<'_, '_>| side.has(&["less", "more", "fewer", "than", "atmost", "atleast"]);
    expected.max(answer) < 2
        && compares(&case.expected) == compares(&case.answer)
        && !(plain_expected && case.alignment.coverage < CERTAIN)
        && sequence(&case.expected) == sequence(&case.answer)
        && plain.content().all(|(at, _)| aligned(at) || adds_nothing(plain, at, &aligned))
}

/// Whether a word without a partner can hardly be a negation in other words.
fn adds_nothing(side: &Side<'_, '_>, at: usize, aligned: &dyn Fn(usize) -> bool) -> bool {
    let Some(word) = side.word(at) else { return false };
    let preposition = word.preposition.and_then(|preposition| side.word(preposition));
    if word.is_in("stop") {
        // `Out` and the like after `is`.
        return false;
    }
    word.is_number()
        || word.is_in("time")
        || word.word.ends_with("ly")
        || side.word(at + 1).is_some_and(|next| next.content && aligned(at + 1))
        || preposition.is_some_and(|preposition| preposition.is_in("harmless"))
}
