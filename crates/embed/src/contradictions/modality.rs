//! `You need not` against `you must not`.

use super::contradiction;
use super::part::{MatchedParts, Side, Verdict};
use super::text::Modal;

const COVERAGE: f64 = 0.75;

pub(super) fn judge(case: &MatchedParts<'_, '_>) -> Verdict {
    if case.alignment.coverage < COVERAGE || case.expected.has(&["can"]) || case.answer.has(&["can"]) {
        return Verdict::Open;
    }
    let negated = |side: &Side<'_, '_>, modal: Modal| {
        side.range
            .clone()
            .find(|at| side.word(*at).is_some_and(|word| word.modal == Some(modal) && word.focus.is_some()))
    };
    let pairs = [(Modal::Require, Modal::Allow), (Modal::Allow, Modal::Require)];
    let found = pairs.iter().find_map(|(one, other)| negated(&case.expected, *one).zip(negated(&case.answer, *other)));
    found.map_or(Verdict::Open, |(one, other)| {
        let shown = (case.expected.with_negation(one), case.answer.with_negation(other));
        Verdict::Found(contradiction("negation", true, &shown.0, &shown.1))
    })
}
