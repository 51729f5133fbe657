//! Normalises a text before it is split into words: removes control characters and accents, separates ideographs, and
//! converts to lower case.

use icu_normalizer::DecomposingNormalizerBorrowed;
use unicode_categories::UnicodeCategories as _;

/// The characters of a text, normalised for the model.
pub(super) fn clean(text: &str) -> impl Iterator<Item = char> + '_ {
    let kept = text.chars().filter(|&c| !is_removed(c)).flat_map(|c| {
        let (before, c) = match c {
            _ if c.is_whitespace() => (None, ' '),
            _ if is_ideograph(c) => (Some(' '), c),
            _ => (None, c),
        };
        [before, Some(c), before].into_iter().flatten()
    });
    DecomposingNormalizerBorrowed::new_nfd()
        .normalize_iter(kept)
        .filter(|c| !c.is_mark_nonspacing())
        .flat_map(char::to_lowercase)
}

/// Whether a character is a separate word.
pub(super) fn is_punctuation(c: char) -> bool {
    c.is_ascii_punctuation() || (!c.is_ascii() && c.is_punctuation())
}

/// Null, the replacement character, and characters that are neither printable nor white space.
fn is_removed(c: char) -> bool {
    match c {
        '\t' | '\n' | '\r' | ' '..='~' => false,
        '\u{fffd}' => true,
        _ => c.is_other(),
    }
}

/// The ranges that the model was trained with; they do not include Japanese syllables and Korean letters.
fn is_ideograph(c: char) -> bool {
    matches!(
        c,
        '\u{4e00}'..='\u{9fff}'
            | '\u{3400}'..='\u{4dbf}'
            | '\u{20000}'..='\u{2a6df}'
            | '\u{2a700}'..='\u{2b73f}'
            | '\u{2b740}'..='\u{2b81f}'
            | '\u{2b920}'..='\u{2ceaf}'
            | '\u{f900}'..='\u{faff}'
            | '\u{2f800}'..='\u{2fa1f}'
    )
}
