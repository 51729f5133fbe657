//! The tokens of a scripted model: a word with the space before it; long words are split.

/// The maximum number of bytes of a token.
const LONGEST: usize = 16;

/// The tokens of a text; concatenated, they are the text.
pub(super) fn tokens(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let mut begun = false;
        let end = rest.bytes().enumerate().position(|(at, byte)| {
            let space = byte.is_ascii_whitespace();
            let ends = (at >= LONGEST || (begun && space)) && rest.is_char_boundary(at);
            begun |= !space;
            ends
        });
        let (token, later) = rest.split_at(end.unwrap_or(rest.len()));
        rest = later;
        Some(token)
    })
}

/// The number of tokens of a text.
pub(super) fn count(text: &str) -> u32 {
    u32::try_from(tokens(text).count()).unwrap_or(u32::MAX)
}

/// An estimate of the tokens of a request with this many bytes.
pub(super) fn estimate(bytes: usize) -> u32 {
    u32::try_from(bytes.div_ceil(4)).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn count_matches_number_of_tokens(text in "[ a-z\nä€😀]{0,120}") {
            prop_assert_eq!(count(&text) as usize, tokens(&text).count());
        }
    }

    #[test]
    fn tokens_are_words_with_leading_whitespace() {
        let split = |text| tokens(text).collect::<Vec<_>>();
        assert_eq!(split("It was  refunded.\n"), ["It", " was", "  refunded.", "\n"]);
        assert_eq!(split(""), Vec::<&str>::new());
        assert_eq!(split("  "), ["  "]);
        let long = "ä".repeat(20);
        assert_eq!(split(&long).concat(), long);
        assert_eq!(split(&long).len(), 3);
    }
}
