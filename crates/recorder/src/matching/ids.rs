//! Texts that are made to be unique: UUIDs, ULIDs, long hexadecimal numbers, and tokens with a prefix such as `call_`.

/// What an id looks like. Only ids of one form are taken for one another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Form<'t> {
    Uuid,
    Ulid,
    /// So many hexadecimal digits.
    Hex(usize),
    /// What stands before the unique part, with its separator.
    Prefixed(&'t str),
    /// Letters, digits, `_` and `-` in the mixture that chance makes.
    Nano,
}

/// The shortest hexadecimal number that is an id when it has both letters and digits, and when it has not.
const MIXED_HEX: usize = 16;
const ANY_HEX: usize = 24;
/// The longest prefix of a token.
const LONGEST_PREFIX: usize = 16;
/// The shortest unique part after `_` and after `-`, which words in names are joined with more often.
const AFTER_UNDERSCORE: usize = 12;
const AFTER_DASH: usize = 20;
/// How long a nanoid is, and how often it must go from one kind of letter to another. Chance does so 12 times, names do not.
const NANO: usize = 21;
const NANO_CHANGES: usize = 8;
/// The shortest prefix that is surely not the beginning of a nanoid.
const CLEAR_PREFIX: usize = 3;

/// The id that begins here, and its length. Nothing that an id is made of stands before it.
pub(super) fn id_at(text: &str, at: usize) -> Option<(Form<'_>, usize)> {
    let bytes = text.as_bytes();
    if at > 0 && bytes[at - 1].is_ascii_alphanumeric() {
        return None;
    }
    let rest = bytes.get(at..)?;
    if is_uuid(rest) {
        return Some((Form::Uuid, 36));
    }
    let run = alphanumeric(rest);
    let token = &rest[..run];
    if token.len() == 26 && is_ulid(token) {
        return Some((Form::Ulid, run));
    }
    if is_hex(token) {
        return Some((Form::Hex(run), run));
    }
    let nano = is_nano(bytes, at).then_some((Form::Nano, NANO));
    let prefixed = prefixed(text, at, run);
    match &prefixed {
        Some((Form::Prefixed(prefix), _)) if prefix.len() > CLEAR_PREFIX => prefixed,
        _ => nano.or(prefixed),
    }
}

/// A token with a prefix, of which `run` letters come before its separator.
fn prefixed(text: &str, at: usize, run: usize) -> Option<(Form<'_>, usize)> {
    let rest = text.as_bytes().get(at..)?;
    let token = &rest[..run];
    let separator = *rest.get(run)?;
    let least = match separator {
        b'_' => AFTER_UNDERSCORE,
        b'-' => AFTER_DASH,
        _ => return None,
    };
    let is_prefix = (1..=LONGEST_PREFIX).contains(&run) && token.iter().all(u8::is_ascii_alphabetic);
    let unique = &rest[run + 1..];
    let unique = &unique[..alphanumeric(unique)];
    let end = at + run + 1;
    (is_prefix && unique.len() >= least && is_mixed(unique))
        .then(|| (Form::Prefixed(&text[at..end]), run + 1 + unique.len()))
}

/// All ids in a text.
pub(super) fn ids_in(text: &str) -> impl Iterator<Item = &str> {
    let mut at = 0;
    std::iter::from_fn(move || {
        while at < text.len() {
            if let Some((_, length)) = id_at(text, at) {
                let id = &text[at..at + length];
                at += length;
                return Some(id);
            }
            at = next_start(text.as_bytes(), at);
        }
        None
    })
}

/// The id that covers a position, or ends there, in a run of letters, digits, `_` and `-` that begins no earlier than `from`: where it begins,
/// its form and its length.
pub(super) fn id_over(text: &str, from: usize, position: usize) -> Option<(usize, Form<'_>, usize)> {
    let bytes = text.as_bytes();
    let part = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    let mut at = position;
    while at > from && position - at < LONGEST_RUN && part(bytes[at - 1]) {
        at -= 1;
    }
    while at <= position && at < bytes.len() {
        match id_at(text, at) {
            Some((form, length)) if at + length >= position => return Some((at, form, length)),
            Some((_, length)) => at += length,
            None => at = next_start(bytes, at),
        }
    }
    None
}

/// How far back the beginning of a run is looked for.
const LONGEST_RUN: usize = 512;

/// A text with a mark in the place of each id.
pub(super) fn masked(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut done = 0;
    for id in ids_in(text) {
        // The ids are parts of the text, in order.
        let at = done + text[done..].find(id).unwrap_or(0);
        out.push_str(&text[done..at]);
        out.push('\u{0}');
        done = at + id.len();
    }
    out.push_str(&text[done..]);
    out
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

fn alphanumeric(bytes: &[u8]) -> usize {
    bytes.iter().take_while(|byte| byte.is_ascii_alphanumeric()).count()
}

/// Whether a nanoid begins here, and neither goes on nor began before.
fn is_nano(bytes: &[u8], at: usize) -> bool {
    let of_nano = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    let begins = !at.checked_sub(1).is_some_and(|before| of_nano(&bytes[before]));
    let Some(token) = bytes.get(at..at + NANO).filter(|_| begins) else { return false };
    let ends = !bytes.get(at + NANO).is_some_and(of_nano);
    let kind = |byte: &u8| (byte.is_ascii_digit(), byte.is_ascii_uppercase(), byte.is_ascii_lowercase());
    let letters = |pair: &&[u8]| pair.iter().all(u8::is_ascii_alphanumeric);
    let changes = token.windows(2).filter(letters).filter(|pair| kind(&pair[0]) != kind(&pair[1])).count();
    ends && token.iter().all(of_nano)
        && changes >= NANO_CHANGES
        && token.iter().any(u8::is_ascii_uppercase)
        && token.iter().any(u8::is_ascii_lowercase)
        && token.iter().any(u8::is_ascii_digit)
}

fn is_uuid(bytes: &[u8]) -> bool {
    let Some(uuid) = bytes.get(..36) else { return false };
    let fits = |(index, byte): (usize, &u8)| match index {
        8 | 13 | 18 | 23 => *byte == b'-',
        _ => byte.is_ascii_hexdigit(),
    };
    uuid.iter().enumerate().all(fits) && !bytes.get(36).is_some_and(u8::is_ascii_alphanumeric)
}

fn is_ulid(token: &[u8]) -> bool {
    let letter = |byte: &u8| byte.is_ascii_digit() || (byte.is_ascii_uppercase() && !b"ILOU".contains(byte));
    matches!(token[0], b'0'..=b'7') && token.iter().all(letter) && is_mixed(token)
}

fn is_hex(token: &[u8]) -> bool {
    let one_case = !(token.iter().any(u8::is_ascii_lowercase) && token.iter().any(u8::is_ascii_uppercase));
    let hex = one_case && token.iter().all(u8::is_ascii_hexdigit) && token.iter().any(u8::is_ascii_digit);
    hex && (token.len() >= ANY_HEX || (token.len() >= MIXED_HEX && is_mixed(token)))
}

/// Whether there are at least two letters and two digits.
fn is_mixed(token: &[u8]) -> bool {
    token.iter().filter(|byte| byte.is_ascii_digit()).count() >= 2
        && token.iter().filter(|byte| byte.is_ascii_alphabetic()).count() >= 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_unique_is_an_id_and_words_and_numbers_are_not() {
        for text in [
            "0193b2a4-7c11-7d3e-9c55-0242ac120002",
            "01ARZ3NDEKTSV4RRFFQ69G5FAV",
            "9f86d081884c7d65",
            "123456789012345678901234",
            "call_abc123def456",
            "toolu_01A09q90qw90lq917835lq9",
            "chatcmpl-9f86d081884c7d659a2fx",
            "V1StGXR8_Z5jdHi6B-myT",
            "ab_c1D2e3F4g5H6i7J8k9",
        ] {
            assert_eq!(ids_in(text).collect::<Vec<_>>(), [text]);
        }
        for text in [
            "get_weather",
            "get_weather_forecast2",
            "claude-sonnet-4-20250514",
            "gpt-4o-mini-2024-07-18",
            "1794800263838",
            "deadbeefdeadbeef",
            "step_12",
            "internationalisation",
            "Claude-Sonnet-4-20250",
            "ClaudeSonnet45Version",
            "get_Weather_for_Day_2",
            "a_b",
            "1234567890123456",
            "",
        ] {
            assert_eq!(ids_in(text).count(), 0, "{text}");
        }
    }

    #[test]
    fn ids_are_found_within_texts() {
        let user = "user_9f86d081884c7d659f86d081884c7d65_account_0193b2a4-7c11-7d3e-9c55-0242ac120002_session_0193b2a4-7c11-7d3e-9c55-0242ac120003";
        assert_eq!(ids_in(user).count(), 3);
        assert_eq!(masked("/x/0193b2a4-7c11-7d3e-9c55-0242ac120002/y"), "/x/\u{0}/y");
        assert_eq!(id_over("é call_abc123def456", 0, 10).map(|(at, _, length)| (at, length)), Some((3, 17)));
    }
}
