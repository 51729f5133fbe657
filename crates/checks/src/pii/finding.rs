//! One piece of personal data.

use std::ops::Range;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PersonalDataKind {
    Email,
    Phone,
    SocialSecurity,
    Card,
}

impl PersonalDataKind {
    /// The kind in words, with its article.
    pub(crate) fn name(self) -> &'static str {
        match self {
            PersonalDataKind::Email => "an e-mail address",
            PersonalDataKind::Phone => "a telephone number",
            PersonalDataKind::SocialSecurity => "a social security number",
            PersonalDataKind::Card => "a payment card number",
        }
    }
}

/// One piece of personal data.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct PersonalData {
    pub(crate) kind: PersonalDataKind,
    /// Counted from 1.
    pub(crate) line: usize,
    /// Counted from 1, in characters.
    pub(crate) column: usize,
    pub(crate) masked: String,
}

impl PersonalData {
    pub(super) fn new(kind: PersonalDataKind, text: &str, range: Range<usize>) -> Self {
        let before = &text[..range.start];
        let start_of_line = before.rfind('\n').map_or(0, |at| at + 1);
        let piece = &text[range];
        Self {
            kind,
            line: before.matches('\n').count() + 1,
            column: before[start_of_line..].chars().count() + 1,
            masked: if kind == PersonalDataKind::Email { masked_address(piece) } else { masked_digits(piece) },
        }
    }
}

/// Masks an address except its first letter and top-level domain.
fn masked_address(address: &str) -> String {
    let first: String = address.chars().take(1).collect();
    let top = address.rsplit('.').next().expect("a split has a first part");
    format!("{first}***@***.{top}")
}

/// Masks a number except its last two digits.
fn masked_digits(number: &str) -> String {
    let digits = number.chars().filter(char::is_ascii_digit).count();
    let mut seen = 0;
    let mask = |letter: char| {
        if !letter.is_ascii_digit() {
            return letter;
        }
        seen += 1;
        if seen + 2 > digits { letter } else { '*' }
    };
    number.chars().map(mask).collect()
}
