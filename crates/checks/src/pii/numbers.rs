//! US telephone and social security numbers.

use std::ops::Range;

use super::PersonalDataKind;

/// How far before a bare number a word may stand that says what it is, in bytes.
const CUE_DISTANCE: usize = 24;
const PHONE_CUES: [&str; 9] = ["phone", "tel", "call", "mobile", "cell", "fax", "sms", "whatsapp", "dial"];
const SOCIAL_CUES: [&str; 3] = ["ssn", "social security", "social-security"];

pub(super) fn find(text: &str) -> Vec<(PersonalDataKind, Range<usize>)> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let begins = matches!(bytes[at], b'0'..=b'9' | b'+' | b'(') && starts_alone(text, at);
        let number = begins.then(|| phone(text, at).or_else(|| social_security(text, at))).flatten();
        match number {
            Some((kind, end)) => {
                found.push((kind, at..end));
                at = end;
            }
            None => at += 1,
        }
    }
    found
}

/// Whether what begins here is not the end of something longer: a word, a number, a part after a dash or point.
pub(super) fn starts_alone(text: &str, at: usize) -> bool {
    let mut before = text[..at].chars().rev();
    match before.next() {
        None => true,
        Some('-' | '.' | '/' | '+' | '(') => !before.next().is_some_and(char::is_alphanumeric),
        Some(letter) => !letter.is_alphanumeric() && letter != '_',
    }
}

/// Whether what ends here is not the beginning of something longer.
pub(super) fn ends_alone(text: &str, end: usize) -> bool {
    let mut after = text[end..].chars();
    match after.next() {
        None => true,
        Some('-' | '.' | '/') => !after.next().is_some_and(char::is_alphanumeric),
        Some(letter) => !letter.is_alphanumeric() && letter != '_',
    }
}

/// `555-867-5309` in its spellings, with or without the country before it.
fn phone(text: &str, start: usize) -> Option<(PersonalDataKind, usize)> {
    let mut reader = NumberScanner { bytes: text.as_bytes(), at: start };
    let plus = reader.take(b"+").is_some();
    if plus {
        reader.take(b"1")?;
    } else {
        country(&mut reader);
    }
    if reader.at > start {
        reader.take(b"-. ");
    }
    let brackets = reader.take(b"(").is_some();
    let area = reader.digits(3)?;
    if brackets {
        reader.take(b")")?;
    }
    let first = reader.take(b"-. ");
    let middle = reader.digits(3)?;
    let second = reader.take(b"-. ");
    reader.digits(4)?;
    if !ends_alone(text, reader.at) {
        return None;
    }
    let looks_right = match (first, second) {
        (None, None) if !brackets => plus || cue(text, start, &PHONE_CUES),
        (Some(b'-'), Some(b'-')) => true,
        (_, Some(_)) if brackets => true,
        // Numbers that merely stand beside each other are told apart by what numbering allows.
        (Some(first), Some(second)) => first == second && area[0] >= b'2' && middle[0] >= b'2',
        _ => brackets,
    };
    looks_right.then_some((PersonalDataKind::Phone, reader.at))
}

/// A `1` before the area code, set apart from it.
fn country(reader: &mut NumberScanner<'_>) {
    let separated = reader.bytes.get(reader.at + 1).is_some_and(|byte| b"-. (".contains(byte));
    if separated {
        reader.take(b"1");
    }
}

/// `123-45-6789` in its spellings; some numbers are never given out.
fn social_security(text: &str, start: usize) -> Option<(PersonalDataKind, usize)> {
    let mut reader = NumberScanner { bytes: text.as_bytes(), at: start };
    let area = reader.digits(3)?;
    let first = reader.take(b"- ");
    let group = reader.digits(2)?;
    let second = reader.take(b"- ");
    let serial = reader.digits(4)?;
    let given_out = area != b"000" && area != b"666" && area[0] != b'9' && group != b"00" && serial != b"0000";
    let spelt = first == second && (first.is_some() || cue(text, start, &SOCIAL_CUES));
    (given_out && spelt && ends_alone(text, reader.at)).then_some((PersonalDataKind::SocialSecurity, reader.at))
}

/// Whether a word shortly before says what the number is.
fn cue(text: &str, start: usize, words: &[&str]) -> bool {
    let mut from = start.saturating_sub(CUE_DISTANCE);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    let before = text[from..start].to_lowercase();
    words.iter().any(|word| before.contains(word))
}

struct NumberScanner<'t> {
    bytes: &'t [u8],
    at: usize,
}

impl<'t> NumberScanner<'t> {
    fn take(&mut self, one_of: &[u8]) -> Option<u8> {
        let byte = self.bytes.get(self.at).copied().filter(|byte| one_of.contains(byte))?;
        self.at += 1;
        Some(byte)
    }

    fn digits(&mut self, count: usize) -> Option<&'t [u8]> {
        let digits = self.bytes.get(self.at..self.at + count)?;
        digits.iter().all(u8::is_ascii_digit).then(|| self.at += count)?;
        Some(digits)
    }
}
