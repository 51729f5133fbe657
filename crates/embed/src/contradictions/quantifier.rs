//! Words of quantity, time and place that exclude each other: `all` and `some`, `at least` and `at most`.

use std::sync::LazyLock;

use super::contradiction;
use super::opposite::{parity, signs};
use super::part::{MatchedParts, Side, Verdict};
use super::tables::rows;

const TABLE: &str = include_str!("data/quantifiers.tsv");

struct Quantifiers {
    coverage: f64,
    next: bool,
    words: [&'static str; 2],
}

static QUANTIFIERS: LazyLock<Vec<Quantifiers>> = LazyLock::new(|| {
    let read = |row: Vec<&'static str>| Quantifiers {
        coverage: row[0].parse::<f64>().expect("the table has a number here") / 100.0,
        next: row[1] == "next",
        words: [row[2], row[3]],
    };
    rows(TABLE).map(read).collect()
});

pub(super) fn judge(case: &MatchedParts<'_, '_>) -> Verdict {
    if !signs(case).conflicts.is_empty() {
        return Verdict::Open;
    }
    for quantifiers in QUANTIFIERS.iter().filter(|quantifiers| case.alignment.coverage >= quantifiers.coverage) {
        // `never` is a negation itself.
        let equal = parity(&case.expected) == parity(&case.answer);
        if equal == quantifiers.words.contains(&"never") {
            continue;
        }
        let [one, other] = quantifiers.words;
        let found = facing(case, one, other).or_else(|| facing(case, other, one));
        let Some((expected, said)) = found else { continue };
        if !quantifiers.next || is_same_next(case, expected, said) {
            let shown = (shown(&case.expected, expected), shown(&case.answer, said));
            return Verdict::Found(contradiction("quantifier", true, shown.0, shown.1));
        }
    }
    Verdict::Open
}

/// The places of the two words, if each side has one of them.
fn facing(case: &MatchedParts<'_, '_>, expected: &str, said: &str) -> Option<(usize, usize)> {
    let place = |side: &Side<'_, '_>, word: &str| {
        side.range.clone().find(|at| side.word(*at).is_some_and(|other| other.is(word)))
    };
    let found = place(&case.expected, expected).zip(place(&case.answer, said));
    found.filter(|_| !case.expected.has(&[said]) && !case.answer.has(&[expected]))
}

fn next(side: &Side<'_, '_>, at: usize) -> Option<usize> {
    side.content().map(|(next, _)| next).find(|next| *next > at)
}

fn is_same_next(case: &MatchedParts<'_, '_>, expected: usize, said: usize) -> bool {
    match (next(&case.expected, expected), next(&case.answer, said)) {
        (Some(one), Some(other)) => case.relations.get(one, other).sign() > 0,
        (None, None) => true,
        _ => false,
    }
}

/// The word with the one after it.
fn shown<'c>(side: &Side<'c, '_>, at: usize) -> &'c str {
    side.shown(&(at..next(side, at).unwrap_or(at) + 1))
}
