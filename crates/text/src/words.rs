//! Shortens long texts in messages.
//!
//! Secrets are redacted from messages by their values after the messages are made, and half a secret would not be
//! recognised. So texts are cut between words.

use std::borrow::Cow;
use std::ops::Range;

/// The longest part of a match that is shown, in characters.
const MATCH: usize = 120;
/// The number of characters shown on each side of a match.
const AROUND: usize = 40;
const CUT: &str = "...";

/// At most `most` characters of a text, cut between words and followed by `...` if there are more.
pub fn shorten(text: &str, most: usize) -> Cow<'_, str> {
    match text.char_indices().nth(most) {
        None => Cow::Borrowed(text),
        Some((end, _)) => Cow::Owned(format!("{}{CUT}", &text[..words_end(text, end)])),
    }
}

/// A part of a text with some of the text around it.
pub fn passage(text: &str, part: Range<usize>) -> String {
    let (before, rest) = text.split_at(part.start);
    let (found, after) = rest.split_at(part.end - part.start);
    let before = match before.char_indices().rev().nth(AROUND - 1) {
        Some((start, _)) if start > 0 => format!("{CUT}{}", &before[words_start(before, start)..]),
        _ => before.to_owned(),
    };
    let found = shorten(found, MATCH);
    format!("{before}{found}{}", shorten(after, AROUND))
}

/// The end of the last whole word before `end`.
fn words_end(text: &str, end: usize) -> usize {
    if text[end..].starts_with(between_words) {
        return end;
    }
    text[..end].rfind(between_words).map_or(0, |last| last + text[last..].chars().next().map_or(0, char::len_utf8))
}

/// The start of the first whole word after `start`.
fn words_start(text: &str, start: usize) -> usize {
    if text[..start].ends_with(between_words) {
        return start;
    }
    text[start..].find(between_words).map_or(text.len(), |first| start + first)
}

/// Characters that do not occur in keys and tokens. Text without spaces, such as Chinese, may be cut anywhere.
fn between_words(character: char) -> bool {
    !character.is_ascii() || character.is_ascii_whitespace() || "\"',;:()[]{}<>&|".contains(character)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn shortens_text_between_words() {
        for (text, most, shown) in [
            ("short", 5, "short"),
            ("the key is sk-123456", 20, "the key is sk-123456"),
            ("the key is sk-123456", 19, "the key is ..."),
            ("the key is sk-123456", 10, "the key is..."),
            ("the key is sk-123456", 9, "the key ..."),
            ("sk-123456", 4, "..."),
            (r#"{"a":"sk-123456"}"#, 9, r#"{"a":"..."#),
            ("数据已经退款", 2, "数据..."),
        ] {
            assert_eq!(shorten(text, most), shown, "{text} {most}");
        }
    }

    #[test]
    fn passage_includes_surrounding_whole_words() {
        let text = format!("{} an error 42 came {}", "b".repeat(50), "a".repeat(50));
        let at = text.find("error 42").unwrap();
        assert_eq!(passage(&text, at..at + 8), "... an error 42 came ...");
        assert_eq!(passage("error", 0..5), "error");
        assert_eq!(passage("an error here", 3..8), "an error here");
        let glued = format!("{}error{}", "b".repeat(50), "a".repeat(50));
        assert_eq!(passage(&glued, 50..55), "...error...");
    }

    proptest! {
        #[test]
        fn arbitrary_text_can_be_shortened(text in "([a-c-]{1,60}|[ é数\"]){0,8}", most in 0_usize..60, start in 0_usize..60, length in 0_usize..200) {
            let short = shorten(&text, most);
            prop_assert!(short == text || short.chars().count() <= most + 3);
            let ends: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
            let start = start.min(ends.len() - 1);
            let end = (start + length).min(ends.len() - 1);
            let found = passage(&text, ends[start]..ends[end]);
            prop_assert!(found == text || found.contains(CUT));
            prop_assert!(found.chars().count() <= MATCH + 2 * AROUND + 9);
        }
    }
}
