//! Marks the words of a clause that are negated, and those that a negation is about.

use super::tables::is_in;
use super::text::{ClauseWord, Modal};

/// Marks the words of a clause; `from` is the position of the first one in the text.
pub(super) fn mark(words: &mut [ClauseWord<'_>], from: usize) {
    for at in 0..words.len() {
        mark_modal(words, at, from);
    }
    for at in 0..words.len() {
        match words[at].word.as_str() {
            "without" | "except" | "lack" | "lacks" | "lacked" | "lacking" | "UNABLE" | "PREVENT" => {
                mark_following(words, at, from);
            }
            negator if is_in("negator", negator) && !is_harmless(words, at) => mark_all(words, at, from),
            _ => {}
        }
    }
}

fn mark_modal(words: &mut [ClauseWord<'_>], at: usize, from: usize) {
    let not_before = at > 0 && words[at - 1].is("not");
    let not_after = words.get(at + 1).is_some_and(|next| next.is("not"));
    let (modal, focus) = match words[at].word.as_str() {
        "can" | "may" | "could" => (Modal::Allow, not_after.then_some(at + 1)),
        "must" if not_after => (Modal::Allow, Some(at + 1)),
        "must" | "should" => (Modal::Require, None),
        "haveto" => (Modal::Require, not_before.then(|| at - 1)),
        _ => return,
    };
    words[at].modal = Some(modal);
    words[at].focus = focus.map(|focus| from + focus);
}

/// `no 5`, `nor` after `neither`, and `no` as an interjection negate nothing.
fn is_harmless(words: &[ClauseWord<'_>], at: usize) -> bool {
    let next = words.get(at + 1);
    match words[at].word.as_str() {
        "no" => {
            next.is_some_and(ClauseWord::is_number)
                || (at == 0 && next.is_none_or(|next| is_in("stop", &next.word) && !is_in("determiner", &next.word)))
        }
        "nor" => words.iter().take(at).any(|word| word.is_any(&["neither", "not", "no"])),
        _ => false,
    }
}

/// A negation of the whole clause.
fn mark_all(words: &mut [ClauseWord<'_>], at: usize, from: usize) {
    words[at].negator = true;
    for word in words.iter_mut() {
        word.negations += 1;
    }
    match words[at].word.as_str() {
        "none" | "nobody" | "nothing" | "neither" | "nor" => {
            words.iter_mut().filter(|word| word.content).for_each(|word| word.focus = Some(from + at));
        }
        "no" => focus_on_noun(words, at, from),
        _ => focus_after(words, at, from),
    }
}

/// What `no` is about: the noun after it, and what the noun is said to be.
fn focus_on_noun(words: &mut [ClauseWord<'_>], at: usize, from: usize) {
    let Some(first) = (at + 1..words.len()).find(|at| words[*at].content) else { return };
    let mut last = first;
    while words.get(last + 1).is_some_and(|next| next.content) {
        last += 1;
    }
    words[last].focus = Some(from + at);
    if words.get(last + 1).is_some_and(|next| next.is_in("auxiliary"))
        && let Some(said) = (last + 2..words.len()).find(|at| words[*at].content)
    {
        words[said].focus = Some(from + at);
    }
}

/// What `not` is about: the next word with a meaning of its own.
fn focus_after(words: &mut [ClauseWord<'_>], at: usize, from: usize) {
    let adverb = |word: &ClauseWord<'_>| word.word.ends_with("ly") && word.meaning.axes.is_empty();
    let Some(next) = (at + 1..words.len()).find(|at| words[*at].content && !adverb(&words[*at])) else { return };
    words[next].focus = Some(from + at);
    if words[next].is_in("existence") && words.iter().take(at).any(|word| word.content) {
        words.iter_mut().take(at).filter(|word| word.content).for_each(|word| word.focus = Some(from + at));
        words[next].content = false;
    }
}

/// A negation of the words after it, of which the next is its focus.
fn mark_following(words: &mut [ClauseWord<'_>], at: usize, from: usize) {
    words[at].negator = true;
    let short = words[at].is_any(&["without", "except"]);
    let end = (at + 1..words.len()).find(|end| short && words[*end].is_in("auxiliary")).unwrap_or(words.len());
    words.iter_mut().take(end).skip(at + 1).for_each(|word| word.negations += 1);
    if let Some(next) = (at + 1..end).find(|at| words[*at].content) {
        words[next].focus = Some(from + at);
    }
}
