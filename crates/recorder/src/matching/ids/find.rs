//! Finds ids in a text, and pairs two ids where two texts differ.

use std::ops::Range;

use super::form::{IdCandidate, IdForm, readings};

/// How far back the start of a run is searched.
const LONGEST_RUN: usize = 512;

pub(in super::super) fn ids_in(text: &str) -> impl Iterator<Item = &str> {
    sure_in(text).map(|id| &text[id.start..id.start + id.length])
}

/// The ranges of the ids in a text, in order.
pub(in super::super) fn places_of_ids(text: &str) -> impl Iterator<Item = Range<usize>> {
    sure_in(text).map(|id| id.start..id.start + id.length)
}

/// A text with a mark in place of each id.
pub(in super::super) fn masked(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut done = 0;
    for id in sure_in(text) {
        out.push_str(&text[done..id.start]);
        out.push('\u{0}');
        done = id.start + id.length;
    }
    out.push_str(&text[done..]);
    out
}

/// A text, the start of its unread part, and the position at which it differs from another.
pub(in super::super) type IdDifference<'t> = (&'t str, usize, usize);

/// Two ids of the same form at the position where two texts differ, at the same distance from the start of the unread
/// parts. Returns that distance, and their lengths.
pub(in super::super) fn pair_over(recorded: IdDifference<'_>, sent: IdDifference<'_>) -> Option<(usize, usize, usize)> {
    let (ours, theirs) = (readings_over(recorded), readings_over(sent));
    // `user_..` does not match `order_..`, whatever the whole looks like.
    let prefixes = ours.iter().find_map(clear_prefix).zip(theirs.iter().find_map(clear_prefix));
    if prefixes.is_some_and(|(one, other)| one != other) {
        return None;
    }
    ours.iter().find_map(|one| {
        let start = one.start - recorded.1;
        let other = theirs.iter().find(|other| start == other.start - sent.1 && are_alike(one, other))?;
        Some((start, one.length, other.length))
    })
}

/// The prefix of a token, if it is a lower-case word.
fn clear_prefix<'t>(reading: &IdCandidate<'t>) -> Option<&'t str> {
    let IdForm::Prefixed(prefix) = reading.form else { return None };
    let (_, letters) = prefix.as_bytes().split_last()?;
    (letters.len() >= 3 && letters.iter().all(u8::is_ascii_lowercase)).then_some(prefix)
}

/// Whether two candidates are ids of the same kind: both are certain, or one is certain and the other is possible and
/// as long.
fn are_alike(one: &IdCandidate<'_>, other: &IdCandidate<'_>) -> bool {
    one.form == other.form && (one.sure && other.sure || (one.sure || other.sure) && one.length == other.length)
}

/// The possible ids that cover a position, or end there.
fn readings_over((text, from, position): IdDifference<'_>) -> Vec<IdCandidate<'_>> {
    let bytes = text.as_bytes();
    let part = |byte: u8| byte.is_ascii_alphanumeric() || is_joint(byte);
    let mut at = position;
    while at > from && position - at < LONGEST_RUN && part(bytes[at - 1]) {
        at -= 1;
    }
    let mut found = Vec::new();
    // An id that begins with `_` or similar has its first letter further on.
    let still = |at: usize| at <= position || bytes[position..at].iter().all(|byte| is_joint(*byte));
    while at < bytes.len() && still(at) {
        let covers = |reading: &IdCandidate<'_>| {
            (from..=position).contains(&reading.start) && reading.start + reading.length >= position
        };
        found.extend(readings(text, at).filter(covers));
        at = next_start(bytes, at);
    }
    found
}

fn is_joint(byte: u8) -> bool {
    matches!(byte, b'_' | b'-' | b'+' | b'/')
}

/// The certain ids, in order.
fn sure_in(text: &str) -> impl Iterator<Item = IdCandidate<'_>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        while at < text.len() {
            if let Some(found) = readings(text, at).find(|reading| reading.sure) {
                at = found.start + found.length;
                return Some(found);
            }
            at = next_start(text.as_bytes(), at);
        }
        None
    })
}

/// The next position at which an id may begin.
fn next_start(bytes: &[u8], at: usize) -> usize {
    let mut next = at;
    while next < bytes.len() && bytes[next].is_ascii_alphanumeric() {
        next += 1;
    }
    while next < bytes.len() && !bytes[next].is_ascii_alphanumeric() {
        next += 1;
    }
    next
}
