//! The forms of ids.

use super::randomness::{ChanceEvidence, evidence};

/// The form of an id. Only ids of the same form can replace each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum IdForm<'t> {
    Uuid,
    Ulid,
    /// This many hexadecimal digits.
    Hex(usize),
    /// The prefix of the unique part, with its separator.
    Prefixed(&'t str),
    /// This many letters, digits, `_` and `-`, mixed as in random text.
    Chance(usize),
    /// Sixteen bytes in base64.
    Base64,
}

/// A part of a text that may be an id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct IdCandidate<'t> {
    pub(super) start: usize,
    pub(super) length: usize,
    pub(super) form: IdForm<'t>,
    /// Whether it certainly is one. If not, it still counts next to an id of the same form.
    pub(super) sure: bool,
}

/// The shortest hexadecimal number that is an id without a prefix.
const SHORTEST_HEX: usize = 16;
/// The lengths of shorter ones after a prefix: `req-1a2b3c4d`.
const SHORT_HEX: [usize; 2] = [8, 12];
/// The longest prefix of a token, and the shortest one that is unlikely to be the beginning of a nanoid.
const LONGEST_PREFIX: usize = 16;
const CLEAR_PREFIX: usize = 3;
/// The shortest unique part after `_` and after `-`, which is more common between the words of a name.
const AFTER_UNDERSCORE: usize = 12;
const AFTER_DASH: usize = 20;
/// The lengths of nanoids, and of 16, 24 and 32 bytes in URL-safe base64: they may contain `_` and `-`.
const JOINED: [usize; 4] = [21, 22, 32, 43];
/// The lengths of other tokens, such as KSUIDs; they contain only letters and digits.
const SHORTEST_TOKEN: usize = 20;
const LONGEST_TOKEN: usize = 64;

/// The possible ids in the run of letters and digits at this position, the most likely first.
pub(super) fn readings(text: &str, at: usize) -> impl Iterator<Item = IdCandidate<'_>> {
    let bytes = text.as_bytes();
    let begins = at < bytes.len() && !at.checked_sub(1).is_some_and(|before| bytes[before].is_ascii_alphanumeric());
    let run = if begins { length_of(&bytes[at..], u8::is_ascii_alphanumeric) } else { 0 };
    let read = move |read: IdReader| (run > 0).then(|| read(text, at, run)).flatten();
    [uuid, ulid, hex, joined, base64, prefixed, token].into_iter().filter_map(read)
}

type IdReader = for<'t> fn(&'t str, usize, usize) -> Option<IdCandidate<'t>>;

fn uuid(text: &str, at: usize, _: usize) -> Option<IdCandidate<'_>> {
    let bytes = text.as_bytes();
    let uuid = bytes.get(at..at + 36)?;
    let fits = |(index, byte): (usize, &u8)| match index {
        8 | 13 | 18 | 23 => *byte == b'-',
        _ => byte.is_ascii_hexdigit(),
    };
    let is_uuid = uuid.iter().enumerate().all(fits) && !bytes.get(at + 36).is_some_and(u8::is_ascii_alphanumeric);
    is_uuid.then_some(IdCandidate { start: at, length: 36, form: IdForm::Uuid, sure: true })
}

fn ulid(text: &str, at: usize, run: usize) -> Option<IdCandidate<'_>> {
    let token = &text.as_bytes()[at..at + run];
    let letter = |byte: &u8| byte.is_ascii_digit() || (byte.is_ascii_uppercase() && !b"ILOU".contains(byte));
    let is_ulid = run == 26 && matches!(token[0], b'0'..=b'7') && token.iter().all(letter) && is_mixed(token);
    is_ulid.then_some(IdCandidate { start: at, length: run, form: IdForm::Ulid, sure: true })
}

/// A long hexadecimal number, or a short one with a prefix.
fn hex(text: &str, at: usize, run: usize) -> Option<IdCandidate<'_>> {
    let bytes = text.as_bytes();
    let token = &bytes[at..at + run];
    let has_prefix = at > 1 && matches!(bytes[at - 1], b'-' | b'_') && bytes[at - 2].is_ascii_alphanumeric();
    if !(run >= SHORTEST_HEX || (has_prefix && SHORT_HEX.contains(&run))) || !token.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    if token.iter().any(u8::is_ascii_lowercase) && token.iter().any(u8::is_ascii_uppercase) {
        return None;
    }
    // Digits alone are numbers of parcels and invoices; two capitals before digits, of bank accounts.
    let (country, number) = token.split_at(2);
    let is_account = country.iter().all(u8::is_ascii_uppercase) && number.iter().all(u8::is_ascii_digit);
    let is_number = is_account || token.iter().all(u8::is_ascii_digit);
    let sure = token.iter().any(u8::is_ascii_digit) && !is_number;
    Some(IdCandidate { start: at, length: run, form: IdForm::Hex(run), sure })
}

/// A whole word with the length of an id that may contain `_` and `-`.
fn joined(text: &str, at: usize, _: usize) -> Option<IdCandidate<'_>> {
    let bytes = text.as_bytes();
    let start = word_start(bytes, at)?;
    let word = &bytes[start..start + word_length(bytes, start)];
    if !JOINED.contains(&word.len()) || !has_both_cases(word) {
        return None;
    }
    reading(start, word, IdForm::Chance(word.len()))
}

/// `mE0vq1Jc+t2X/5G7h8K9Lw==`.
fn base64(text: &str, at: usize, _: usize) -> Option<IdCandidate<'_>> {
    let bytes = text.as_bytes();
    let of_base64 = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/');
    let before = bytes[..at].iter().rev().take_while(|byte| matches!(byte, b'+' | b'/')).count();
    let start = at - before;
    let begins = !start.checked_sub(1).is_some_and(|before| of_base64(&bytes[before]) || bytes[before] == b'=');
    let token = &bytes[start..start + length_of(&bytes[start..bytes.len().min(start + 23)], of_base64)];
    let ends = bytes[start + token.len()..].starts_with(b"==");
    if !begins || !ends || token.len() != 22 || !b"AQgw".contains(&token[21]) {
        return None;
    }
    let found = reading(start, token, IdForm::Base64)?;
    Some(IdCandidate { length: 24, ..found })
}

/// A token with a prefix that has `run` letters before its separator.
fn prefixed(text: &str, at: usize, run: usize) -> Option<IdCandidate<'_>> {
    let bytes = text.as_bytes();
    let least = match bytes.get(at + run)? {
        b'_' => AFTER_UNDERSCORE,
        b'-' => AFTER_DASH,
        _ => return None,
    };
    let prefix = &bytes[at..at + run];
    if run > LONGEST_PREFIX || !prefix.iter().all(u8::is_ascii_alphabetic) {
        return None;
    }
    let from = at + run + 1;
    let form = IdForm::Prefixed(&text[at..from]);
    let word = &bytes[from..from + word_length(bytes, from)];
    let of_word = evidence(word);
    if run >= CLEAR_PREFIX && JOINED.contains(&word.len()) && has_both_cases(word) && of_word > ChanceEvidence::Name {
        let length = run + 1 + word.len();
        return Some(IdCandidate { start: at, length, form, sure: of_word == ChanceEvidence::Random });
    }
    let unique = &bytes[from..from + length_of(&bytes[from..], u8::is_ascii_alphanumeric)];
    if unique.len() < least {
        return None;
    }
    let length = run + 1 + unique.len();
    let looks = evidence(unique);
    let sure = is_mixed(unique) || (has_both_cases(unique) && looks == ChanceEvidence::Random);
    (sure || looks > ChanceEvidence::Name).then_some(IdCandidate { start: at, length, form, sure })
}

/// A word that is one random token.
fn token(text: &str, at: usize, run: usize) -> Option<IdCandidate<'_>> {
    let bytes = text.as_bytes();
    let is_word = word_start(bytes, at) == Some(at) && word_length(bytes, at) == run;
    if !is_word || !(SHORTEST_TOKEN..=LONGEST_TOKEN).contains(&run) {
        return None;
    }
    let token = &bytes[at..at + run];
    let digits = token.iter().filter(|byte| byte.is_ascii_digit()).count();
    let found = reading(at, token, IdForm::Chance(run))?;
    let of_kind = digits < run && (has_both_cases(token) || digits >= 2);
    Some(IdCandidate { sure: found.sure && of_kind, ..found })
}

fn reading<'t>(start: usize, token: &[u8], form: IdForm<'t>) -> Option<IdCandidate<'t>> {
    let looks = evidence(token);
    let (length, sure) = (token.len(), looks == ChanceEvidence::Random);
    (looks > ChanceEvidence::Name).then_some(IdCandidate { start, length, form, sure })
}

/// The start of the word whose first letters or digits are here; `None` if others precede them.
fn word_start(bytes: &[u8], at: usize) -> Option<usize> {
    let joints = bytes[..at].iter().rev().take_while(|byte| matches!(byte, b'_' | b'-')).count();
    let start = at - joints;
    (!start.checked_sub(1).is_some_and(|before| bytes[before].is_ascii_alphanumeric())).then_some(start)
}

/// The length of the word at this position, as far as it matters.
fn word_length(bytes: &[u8], from: usize) -> usize {
    let end = bytes.len().min(from + LONGEST_TOKEN + 1);
    length_of(&bytes[from..end], |byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
}

fn length_of(bytes: &[u8], fits: impl Fn(&u8) -> bool) -> usize {
    bytes.iter().take_while(|byte| fits(byte)).count()
}

fn has_both_cases(token: &[u8]) -> bool {
    token.iter().any(u8::is_ascii_uppercase) && token.iter().any(u8::is_ascii_lowercase)
}

/// Whether there are at least two letters and two digits.
fn is_mixed(token: &[u8]) -> bool {
    token.iter().filter(|byte| byte.is_ascii_digit()).count() >= 2
        && token.iter().filter(|byte| byte.is_ascii_alphabetic()).count() >= 2
}
