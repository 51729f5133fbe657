//! Generated names of temporary files: `/tmp/tmpp3jfiykz`, `/tmp/agent-Xa3bQ9/report.md`, `/tmp/tmp.Ab3dEf6hIj`.
//!
//! Applies only directly in the temporary directory, and only if both names look random and differ enough: fixed names
//! are compared like everything else.

use std::ops::Range;

use super::ids::randomness;
use crate::Roots;

/// The temporary directories of the recording and of this machine.
#[derive(Debug, Default)]
pub(super) struct TempNames(Option<(String, String)>);

/// The minimum score of two random parts of this length together. Of 1,000 random pairs, three score below it; two
/// names of eight letters score -80, and two of six -60.
const RANDOM: [(usize, i32); 3] = [(8, -20), (6, 0), (10, 0)];

/// The score from which letters alone are random if there is no second name.
const ONE_ALONE: i32 = -10;

/// The prefix of `mktemp`, the only one with a dot.
const MKTEMP: &[u8] = b"tmp.";

/// A text, the start of its unread part, and the position at which it differs from another.
type NameDifference<'t> = (&'t str, usize, usize);

impl TempNames {
    pub(super) fn new(recorded: &Roots, here: &Roots) -> Self {
        let text = |roots: &Roots| {
            let folder = roots.tmp.as_deref()?.to_str()?.trim_end_matches('/');
            (!folder.is_empty()).then(|| format!("{folder}/"))
        };
        Self(text(recorded).zip(text(here)))
    }

    /// Two names at the position where two texts differ, at the same distance from the start of the unread parts.
    /// Returns that distance, and their lengths.
    pub(super) fn pair_over(
        &self,
        recorded: NameDifference<'_>,
        sent: NameDifference<'_>,
    ) -> Option<(usize, usize, usize)> {
        let (folder, folder_here) = self.0.as_ref()?;
        let (text, from, position) = recorded;
        let before = text.as_bytes()[from..position].iter().rev().take_while(|byte| of_name(**byte)).count();
        let start = position - before;
        let start_sent = sent.1 + (start - from);
        if !is_directly_in(text, start, folder) || !is_directly_in(sent.0, start_sent, folder_here) {
            return None;
        }
        let length = random_names(&text[start..], &sent.0[start_sent..])?;
        // The names differ within the hole.
        (start + length >= position).then_some((start - from, length, length))
    }
}

/// The generated part of a name that follows the temporary directory at this position. There is only one name to judge:
/// it need not look random if it has the form of Python's or `mktemp`'s names, or if it contains digits or capitals.
pub(super) fn made_up_name(text: &str, at: usize) -> Option<Range<usize>> {
    let start = at + 1;
    let name = text.get(at..)?.strip_prefix('/')?;
    let stem = stem(name);
    let by_default = (stem.starts_with(b"tmp") && stem.len() == 11) || (stem.starts_with(MKTEMP) && stem.len() == 14);
    let prefix = stem.iter().rposition(|byte| matches!(byte, b'-' | b'.')).map_or(0, |last| last + 1);
    let part = &stem[prefix..];
    let long_enough = part.len() >= 6 && prefix + part.len() > 6;
    let mixed = part.iter().any(u8::is_ascii_uppercase) && part.iter().any(u8::is_ascii_lowercase);
    let odd = mixed || part.iter().any(u8::is_ascii_digit) || randomness(part) >= ONE_ALONE;
    if by_default {
        return Some(start..start + stem.len());
    }
    (long_enough && odd).then_some(start + prefix..start + stem.len())
}

/// The length of two names, at the start of two texts, that differ in a random part at their end.
fn random_names(one: &str, other: &str) -> Option<usize> {
    let (stem, other_stem) = (stem(one), stem(other));
    let length = stem.len();
    if length != other_stem.len() {
        return None;
    }
    let python = |byte: &u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || *byte == b'_';
    let fits = |(random, least): &(usize, i32)| {
        let Some(prefix) = length.checked_sub(*random).filter(|prefix| *prefix > 0) else { return false };
        let ((same, part), (other_same, other_part)) = (stem.split_at(prefix), other_stem.split_at(prefix));
        let unlike = part.iter().zip(other_part).filter(|(one, other)| one != other).count();
        let mut letters = part.iter().chain(other_part);
        let of_kind = match *random {
            8 => letters.all(python),
            6 => letters.all(u8::is_ascii_alphanumeric),
            _ => letters.all(u8::is_ascii_alphanumeric) && same == MKTEMP,
        };
        same == other_same && of_kind && unlike * 2 > *random && randomness(part) + randomness(other_part) >= *least
    };
    RANDOM.iter().any(fits).then_some(length)
}

/// The name up to its first dot; a leading dot, and that of `tmp.Ab3dEf6hIj`, belong to it.
fn stem(text: &str) -> &[u8] {
    let bytes = text.as_bytes();
    let lead = if bytes.starts_with(MKTEMP) { MKTEMP.len() } else { usize::from(bytes.starts_with(b".")) };
    let rest = bytes[lead..].iter().take_while(|byte| of_name(**byte) && **byte != b'.').count();
    &bytes[..lead + rest]
}

fn of_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.')
}

/// Whether a name that begins here is directly in a folder.
fn is_directly_in(text: &str, start: usize, folder: &str) -> bool {
    let Some(before) = text.get(..start).and_then(|text| text.strip_suffix(folder)) else { return false };
    !before.bytes().next_back().is_some_and(of_name)
}
