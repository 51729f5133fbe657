//! Compares words without regard to case and accents, as hashes, so that nothing is copied.

use std::hash::{DefaultHasher, Hasher as _};

use icu_normalizer::DecomposingNormalizerBorrowed;

/// The letters and digits of a text, in lower case and without accents.
pub(super) fn folded(text: &str) -> impl Iterator<Item = char> + '_ {
    DecomposingNormalizerBorrowed::new_nfd()
        .normalize_iter(text.chars())
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase)
}

/// The hash of a text: the same for texts with the same letters and digits.
pub(super) fn key(texts: &[&str]) -> u64 {
    let mut hasher = DefaultHasher::new();
    for c in texts.iter().flat_map(|text| folded(text)) {
        hasher.write_u32(c.into());
    }
    hasher.finish()
}

/// A word without the `'s` of a possessive, and an abbreviation without the `s` of the plural.
pub(super) fn stem(word: &str) -> &str {
    let word = ["'s", "’s", "'", "’"].iter().find_map(|ending| word.strip_suffix(ending)).unwrap_or(word);
    match word.strip_suffix('s') {
        Some(rest) if is_abbreviation(rest) => rest,
        _ => word,
    }
}

/// Whether a word is written in capitals, like `HR`.
pub(super) fn is_abbreviation(word: &str) -> bool {
    let mut letters = word.chars().filter(|c| c.is_alphabetic());
    letters.clone().count() >= 2 && letters.all(char::is_uppercase)
}

/// Whether a word is one of these, ignoring case.
pub(super) fn is_any(word: &str, of: &[&str]) -> bool {
    of.iter().any(|other| word.eq_ignore_ascii_case(other))
}
