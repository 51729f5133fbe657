//! Things of which one excludes the others: `by email` against `by post`.

use super::contradiction;
use super::opposite::{parity, signs};
use super::part::{MatchedParts, Side, Verdict};
use super::tables::stem_is_in;
use super::text::ClauseWord;

const COVERAGE: f64 = 0.5;
/// The most words that may have no partner on a side.
const WORDS_OF_A_NAME: usize = 2;

pub(super) fn judge(case: &MatchedParts<'_, '_>) -> Verdict {
    let alignment = case.alignment;
    let few = alignment.coverage < COVERAGE || alignment.answer_coverage < COVERAGE || alignment.pairs.len() < 2;
    if few || parity(&case.expected) != parity(&case.answer) || !signs(case).conflicts.is_empty() {
        return Verdict::Open;
    }
    let left = left_over(&case.expected, |at| alignment.of_expected(at).is_some());
    let left_said = left_over(&case.answer, |at| alignment.of_answer(at).is_some());
    let (Some(one), Some(other)) = (left, left_said) else { return Verdict::Open };
    if !is_same_slot(case, &one, &other) {
        return Verdict::Open;
    }
    for first in &one {
        for second in &other {
            let words = (case.expected.word(*first), case.answer.word(*second));
            if let (Some(first), Some(second)) = words
                && exclude_each_other(first, second)
            {
                return Verdict::Found(contradiction("exclusive", true, first.text, second.text));
            }
        }
    }
    Verdict::Open
}

fn exclude_each_other(one: &ClauseWord<'_>, other: &ClauseWord<'_>) -> bool {
    let in_set = |(set, thing): &(usize, usize)| {
        other.meaning.exclusive.iter().any(|(other_set, other_thing)| set == other_set && thing != other_thing)
    };
    let same = one.meaning.exclusive.iter().any(|known| other.meaning.exclusive.contains(known));
    !same && one.meaning.exclusive.iter().any(in_set)
}

/// The words without a partner, if they are one run of one or two that could name a thing.
fn left_over(side: &Side<'_, '_>, aligned: impl Fn(usize) -> bool) -> Option<Vec<usize>> {
    let left: Vec<usize> = side.content().map(|(at, _)| at).filter(|at| !aligned(*at)).collect();
    let run = left.windows(2).all(|pair| matches!(pair, [one, other] if one + 1 == *other));
    let names =
        left.iter().filter_map(|at| side.word(*at)).all(|word| !word.is_number() && !stem_is_in("generic", &word.stem));
    (run && names && (1..=WORDS_OF_A_NAME).contains(&left.len())).then_some(left)
}

/// Whether the words before and after the runs are the same.
fn is_same_slot(case: &MatchedParts<'_, '_>, one: &[usize], other: &[usize]) -> bool {
    let before = |side: &Side<'_, '_>, run: &[usize]| {
        let mut at = run.first().copied()?.checked_sub(1)?;
        while side.word(at).is_some_and(|word| word.is_in("determiner")) {
            at = at.checked_sub(1)?;
        }
        side.word(at).map(|_| at)
    };
    let after =
        |side: &Side<'_, '_>, run: &[usize]| run.last().map(|last| last + 1).filter(|at| side.word(*at).is_some());
    let equal = |pair: (Option<usize>, Option<usize>)| match pair {
        (None, None) => true,
        (Some(one), Some(other)) => {
            let words = case.expected.word(one).zip(case.answer.word(other));
            words.is_some_and(|(one, other)| one.word == other.word || (one.is_in("be") && other.is_in("be")))
                || case.relations.get(one, other).sign() > 0
        }
        _ => false,
    };
    equal((before(&case.expected, one), before(&case.answer, other)))
        && equal((after(&case.expected, one), after(&case.answer, other)))
}
