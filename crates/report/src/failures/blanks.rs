//! Replaces what varies in the reason of a failure, so that reasons of the same kind become equal.

/// What stands for a quoted text or a number.
const BLANK: char = '…';

/// The text with a blank for each quoted text and each number: ``expected `a b`, got 12`` becomes
/// ``expected `…`, got …``.
pub(super) fn blanked(text: &str) -> String {
    let mut blanked = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        let quoted = quoted(rest);
        let number = number(rest, blanked.chars().next_back());
        if let Some(length) = quoted {
            blanked.extend([letter, BLANK, letter]);
            rest = &rest[length..];
        } else if let Some(length) = number {
            blanked.push(BLANK);
            rest = &rest[length..];
        } else {
            blanked.push(letter);
            rest = &rest[letter.len_utf8()..];
        }
    }
    blanked
}

/// The length of the quoted text at the beginning, including its quotes. An apostrophe quotes nothing.
fn quoted(text: &str) -> Option<usize> {
    let quote = text.chars().next().filter(|letter| matches!(letter, '`' | '"'))?;
    text[1..].find(quote).map(|inner| inner + 2)
}

/// The length of the number at the beginning, unless it continues a word, such as `t2`.
fn number(text: &str, before: Option<char>) -> Option<usize> {
    if before.is_some_and(|letter| letter.is_alphanumeric() || letter == '_') {
        return None;
    }
    let length = text.find(|letter: char| !letter.is_ascii_digit() && letter != '.').unwrap_or(text.len());
    let length = text[..length].trim_end_matches('.').len();
    text.starts_with(|letter: char| letter.is_ascii_digit()).then_some(length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replaces_quoted_texts_and_numbers() {
        for (text, expected) in [
            ("the answer does not contain `order 12`", "the answer does not contain `…`"),
            ("expected \"a `b`\", got 12.5.", "expected \"…\", got …."),
            ("step2 is not t_3 but 4", "step2 is not t_3 but …"),
            ("an open ` and the agent's end", "an open ` and the agent's end"),
            ("``", "`…`"),
            ("sent nothing for 30 s", "sent nothing for … s"),
            ("Größe `ü` 1", "Größe `…` …"),
            ("", ""),
        ] {
            assert_eq!(blanked(text), expected, "{text}");
        }
    }
}
