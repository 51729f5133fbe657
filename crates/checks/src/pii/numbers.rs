//! Finds US telephone and social security numbers.

use std::ops::Range;
use std::sync::LazyLock;

use regex::{Captures, Match, Regex};

use super::PersonalDataKind;

/// How far before an ungrouped number its cue may be, in bytes.
const CUE_DISTANCE: usize = 24;
const PHONE_CUES: [&str; 9] = ["phone", "tel", "call", "mobile", "cell", "fax", "sms", "whatsapp", "dial"];
const SOCIAL_CUES: [&str; 3] = ["ssn", "social security", "social-security"];

/// `555-867-5309` and `123-45-6789` in their spellings, and ungrouped digits, which need a cue. With spaces or dots as
/// separators, the groups must be valid area codes and exchanges, since they may be unrelated numbers.
static NUMBER: LazyLock<Regex> = LazyLock::new(|| {
    let spellings = r"(?x)(
        (?<phone>
            (?: \+?1 [-.\ ]? )? \([0-9]{3}\) [-.\ ]? [0-9]{3} [-.\ ]? [0-9]{4}
            | (?: \+1 [-.\ ]? | 1 [-.\ ] )? (?:
                [0-9]{3} - [0-9]{3} - [0-9]{4}
                | [2-9][0-9]{2} \. [2-9][0-9]{2} \. [0-9]{4}
                | [2-9][0-9]{2} \  [2-9][0-9]{2} \  [0-9]{4}
            )
            | \+1 [-.\ ]? [0-9]{10}
        )
        | (?<bare_phone> (?: 1 [-.\ ] )? [0-9]{10} )
        | (?<social> [0-9]{3} - [0-9]{2} - [0-9]{4} | [0-9]{3} \  [0-9]{2} \  [0-9]{4} )
        | (?<bare_social> [0-9]{9} )
    )";
    Regex::new(spellings).expect("the spellings are a regular expression")
});

pub(super) fn find(text: &str) -> Vec<(PersonalDataKind, Range<usize>)> {
    find_alone(&NUMBER, text, |number, captures| {
        let is = |spelling: &str| captures.name(spelling).is_some();
        let before = &text[..number.start()];
        if is("phone") || (is("bare_phone") && cue(before, &PHONE_CUES)) {
            return Some(PersonalDataKind::Phone);
        }
        let spelt = is("social") || (is("bare_social") && cue(before, &SOCIAL_CUES));
        (spelt && is_given_out(number.as_str())).then_some(PersonalDataKind::SocialSecurity)
    })
}

/// The numbers that the first group of a pattern matches and `kind` accepts, unless they are part of something longer.
pub(super) fn find_alone(
    pattern: &Regex,
    text: &str,
    kind: impl Fn(Match<'_>, &Captures<'_>) -> Option<PersonalDataKind>,
) -> Vec<(PersonalDataKind, Range<usize>)> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(captures) = pattern.captures_at(text, at) {
        let number = captures.get(1).expect("the first group is all that a pattern finds of a number");
        let alone = starts_alone(text, number.start()) && ends_alone(text, number.end());
        match kind(number, &captures).filter(|_| alone) {
            Some(kind) => {
                found.push((kind, number.range()));
                at = number.end();
            }
            // A number that begins within digits is part of something longer.
            None => at = number.start() + number.as_str().bytes().take_while(u8::is_ascii_digit).count().max(1),
        }
    }
    found
}

/// Whether a number that begins here is not the end of a word, a longer number, or a part after a dash or point.
fn starts_alone(text: &str, at: usize) -> bool {
    let mut before = text[..at].chars().rev();
    match before.next() {
        None => true,
        Some('-' | '.' | '/' | '+' | '(') => !before.next().is_some_and(char::is_alphanumeric),
        Some(letter) => !letter.is_alphanumeric() && letter != '_',
    }
}

/// Whether a number that ends here is not the beginning of something longer.
fn ends_alone(text: &str, end: usize) -> bool {
    let mut after = text[end..].chars();
    match after.next() {
        None => true,
        Some('-' | '.' | '/') => !after.next().is_some_and(char::is_alphanumeric),
        Some(letter) => !letter.is_alphanumeric() && letter != '_',
    }
}

/// Some social security numbers are never issued.
fn is_given_out(number: &str) -> bool {
    let digits: String = number.chars().filter(char::is_ascii_digit).collect();
    let (area, group, serial) = (&digits[..3], &digits[3..5], &digits[5..]);
    area != "000" && area != "666" && !area.starts_with('9') && group != "00" && serial != "0000"
}

/// Whether one of these words is shortly before a number.
fn cue(before: &str, words: &[&str]) -> bool {
    let near = before[before.ceil_char_boundary(before.len().saturating_sub(CUE_DISTANCE))..].to_lowercase();
    words.iter().any(|word| near.contains(word))
}
