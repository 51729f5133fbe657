//! The beginning of a text.

use std::borrow::Cow;

/// The first `most` characters of a text, followed by `...` if there are more. [`shorten`](crate::shorten) cuts between
/// words, for texts that may contain a secret.
pub fn excerpt(text: &str, most: usize) -> Cow<'_, str> {
    match text.char_indices().nth(most) {
        Some((end, _)) => Cow::Owned(format!("{}...", &text[..end])),
        None => Cow::Borrowed(text),
    }
}

/// The first `most` characters of a text, followed by ` [cut]` if there are more. The redactor treats the beginning of a
/// secret before this mark as the whole secret, so the text may contain one.
pub fn cut_off(text: &str, most: usize) -> Cow<'_, str> {
    match text.char_indices().nth(most) {
        Some((end, _)) => Cow::Owned(format!("{} [cut]", &text[..end])),
        None => Cow::Borrowed(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn excerpt_keeps_whole_characters_and_marks_cut() {
        for (text, most, shown) in [("aéz", 3, "aéz"), ("aéz", 2, "aé..."), ("aéz", 0, "..."), ("", 0, "")] {
            assert_eq!(excerpt(text, most), shown, "{text} {most}");
        }
    }
}
