//! Order and comparison: `before` and `after`, `above` and `below`, `than`, `against`.

use super::contradiction;
use super::opposite::parity;
use super::part::{MatchedParts, Side, Verdict};

const COVERAGE: f64 = 0.7;
/// Words that put their left side in a relation to their right side, each with its inverse.
const MARKERS: [(&str, &str); 8] = [
    ("before", "after"),
    ("after", "before"),
    ("above", "below"),
    ("below", "above"),
    ("over", "under"),
    ("under", "over"),
    ("than", ""),
    ("against", ""),
];

/// A side of a comparison.
struct ComparisonSide<'w> {
    marker: &'w str,
    at: usize,
    left: Vec<usize>,
    right: Vec<usize>,
}

/// How the two sides of a comparison are placed in the two texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SideOrder {
    Same,
    Swapped,
    Unclear,
}

pub(super) fn judge(case: &MatchedParts<'_, '_>) -> Verdict {
    let (Some(one), Some(other)) = (compared(&case.expected), compared(&case.answer)) else { return Verdict::Open };
    let Some(inverse) = turned_over(case, &one, &other) else { return Verdict::Open };
    let placing = placing(case, &one, &other);
    let differs = parity(&case.expected) != parity(&case.answer) && one.marker != "than";
    match (placing, inverse) {
        // `Not before` is `after`.
        (SideOrder::Swapped, _) | (SideOrder::Same, true) if differs => Verdict::Satisfied,
        (SideOrder::Swapped, true) => Verdict::Satisfied,
        (SideOrder::Swapped, false) if case.alignment.coverage >= COVERAGE => {
            Verdict::Found(contradiction("order", true, case.expected.all(), case.answer.all()))
        }
        _ => Verdict::Open,
    }
}

/// Whether both texts compare, and what is on the left in one is on the left in the other.
pub(super) fn has_same_sides(case: &MatchedParts<'_, '_>) -> bool {
    let sides = compared(&case.expected).zip(compared(&case.answer));
    sides.is_some_and(|(one, other)| placing(case, &one, &other) == SideOrder::Same)
}

/// The first marker of a side and the words around it; none if it also has the inverse.
fn compared<'c>(side: &Side<'c, '_>) -> Option<ComparisonSide<'c>> {
    let (at, marker, inverse) = side.range.clone().find_map(|at| {
        let word = side.word(at)?;
        MARKERS.iter().find(|(marker, _)| word.is(marker)).map(|(marker, inverse)| (at, *marker, *inverse))
    })?;
    if !inverse.is_empty() && side.has(&[inverse]) {
        return None;
    }
    let words =
        |from: usize, to: usize| side.content().map(|(at, _)| at).filter(|at| (from..to).contains(at)).collect();
    let mut left: Vec<usize> = words(side.range.start, at);
    let mut right: Vec<usize> = words(at + 1, side.range.end);
    if left.is_empty() {
        // `Before the upgrade, back up the database.`
        let end = side.clause_end(at);
        left = words(end, side.range.end);
        right = words(at + 1, end);
    }
    Some(ComparisonSide { marker, at, left, right })
}

/// Whether the markers say the inverse of each other; `None` if they say different things.
fn turned_over(case: &MatchedParts<'_, '_>, one: &ComparisonSide<'_>, other: &ComparisonSide<'_>) -> Option<bool> {
    if one.marker != other.marker {
        return MARKERS
            .iter()
            .any(|(marker, inverse)| *marker == one.marker && *inverse == other.marker)
            .then_some(true);
    }
    if one.marker != "than" {
        return Some(false);
    }
    let (first, second) = (comparative(&case.expected, one.at)?, comparative(&case.answer, other.at)?);
    let sign = match (first.0, second.0) {
        (Some(one), Some(other)) => case.relations.get(one, other).sign(),
        (None, None) => 1,
        _ => 0,
    };
    (sign != 0).then_some(sign * first.1 * second.1 < 0)
}

/// The adjective before `than`, if any, and -1 for `less`.
fn comparative(side: &Side<'_, '_>, than: usize) -> Option<(Option<usize>, i8)> {
    let at = than.checked_sub(1)?;
    let word = side.word(at)?;
    let less = |word: &super::text::ClauseWord<'_>| if word.is_any(&["less", "fewer"]) { -1 } else { 1 };
    if word.content {
        let before = at.checked_sub(1).and_then(|before| side.word(before));
        return Some((Some(at), before.map_or(1, less)));
    }
    word.is_any(&["more", "less", "fewer"]).then(|| (None, less(word)))
}

fn placing(case: &MatchedParts<'_, '_>, one: &ComparisonSide<'_>, other: &ComparisonSide<'_>) -> SideOrder {
    let same = |a: usize, b: usize| case.relations.get(a, b).sign() > 0;
    let expected = |a: &usize, b: &usize| {
        let word = |at: usize| case.expected.word(at).map(|word| &word.stem);
        word(*a) == word(*b)
    };
    let answered = |a: &usize, b: &usize| {
        let word = |at: usize| case.answer.word(at).map(|word| &word.stem);
        word(*a) == word(*b)
    };
    let only = |words: &[usize], others: &[usize], equal: &dyn Fn(&usize, &usize) -> bool| -> Vec<usize> {
        words.iter().filter(|word| !others.iter().any(|other| equal(word, other))).copied().collect()
    };
    let (left, right) = (only(&one.left, &one.right, &expected), only(&one.right, &one.left, &expected));
    let (left_said, right_said) =
        (only(&other.left, &other.right, &answered), only(&other.right, &other.left, &answered));
    let meet = |a: &[usize], b: &[usize]| a.iter().any(|a| b.iter().any(|b| same(*a, *b)));
    let crossed = meet(&right, &left_said) && meet(&left, &right_said);
    let parallel = meet(&right, &right_said) || (meet(&left, &left_said) && one.marker != "than");
    if crossed && !meet(&right, &right_said) {
        SideOrder::Swapped
    } else if parallel && !meet(&right, &left_said) && !meet(&left, &right_said) {
        SideOrder::Same
    } else {
        SideOrder::Unclear
    }
}
