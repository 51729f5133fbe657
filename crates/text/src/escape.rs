//! Text from outside, made fit for where it goes.
//!
//! What an agent, a suite or a model wrote may hold anything. On a terminal a control character can move the cursor, recolour
//! the screen or turn `PASS` into `FAIL`; in XML it makes the file unreadable. Here it is shown instead: `\u{1b}[31m`.

use std::borrow::Cow;
use std::fmt::Write as _;

/// Text for a terminal or a log: control characters (but line end and tab) and those that reorder the text are made visible.
pub fn printable(text: &str) -> Cow<'_, str> {
    replace(text, |character, into| match character {
        '\n' | '\t' => false,
        _ if is_unsafe(character) => push_visible(character, into),
        _ => false,
    })
}

/// The same for text that has to stay on one line: line ends and tabs become `\n` and `\t`.
pub fn one_line(text: &str) -> Cow<'_, str> {
    replace(text, |character, into| match character {
        '\n' => push(into, "\\n"),
        '\t' => push(into, "\\t"),
        _ if is_unsafe(character) => push_visible(character, into),
        _ => false,
    })
}

/// Text between two HTML tags or the double quotes of an HTML attribute: markup and whatever a terminal should not get are shown.
pub fn html_text(text: &str) -> Cow<'_, str> {
    replace(text, |character, into| match character {
        '\n' | '\t' => false,
        // Nothing here is quoted with them, but what is made of this text may be.
        '\'' => push(into, "&#39;"),
        _ => push_xml(character, into) || (is_unsafe(character) && push_visible(character, into)),
    })
}

/// Text between two XML tags.
pub fn xml_text(text: &str) -> Cow<'_, str> {
    replace(text, |character, into| match character {
        // A bare carriage return would be read as a line feed.
        '\r' => push(into, "&#13;"),
        '\n' | '\t' => false,
        _ => push_xml(character, into),
    })
}

/// Text between the quotes of an XML attribute. White space is written by number, since a reader turns it into blanks otherwise.
pub fn xml_attribute(text: &str) -> Cow<'_, str> {
    replace(text, |character, into| match character {
        '\n' => push(into, "&#10;"),
        '\r' => push(into, "&#13;"),
        '\t' => push(into, "&#9;"),
        _ => push_xml(character, into),
    })
}

/// Copies the text only if `change` replaces something in it: it gets each character and says whether it wrote another.
fn replace(text: &str, change: impl Fn(char, &mut String) -> bool) -> Cow<'_, str> {
    if text.bytes().all(is_ordinary) {
        return Cow::Borrowed(text);
    }
    let mut changed: Option<String> = None;
    let mut piece = String::new();
    for (at, character) in text.char_indices() {
        if change(character, &mut piece) {
            changed.get_or_insert_with(|| text[..at].to_owned()).push_str(&piece);
            piece.clear();
        } else if let Some(changed) = &mut changed {
            changed.push(character);
        }
    }
    changed.map_or(Cow::Borrowed(text), Cow::Owned)
}

/// Whether a byte is a character that is replaced nowhere, as those of most texts are.
fn is_ordinary(byte: u8) -> bool {
    (b' '..0x7f).contains(&byte) && !matches!(byte, b'&' | b'<' | b'>' | b'"' | b'\'')
}

fn push(into: &mut String, text: &str) -> bool {
    into.push_str(text);
    true
}

fn push_visible(character: char, into: &mut String) -> bool {
    // Writing to a string cannot fail.
    let _ = write!(into, "{}", character.escape_unicode());
    true
}

fn push_xml(character: char, into: &mut String) -> bool {
    match character {
        '&' => push(into, "&amp;"),
        '<' => push(into, "&lt;"),
        // Everywhere, so that no `]]>` is left.
        '>' => push(into, "&gt;"),
        '"' => push(into, "&quot;"),
        '\u{fffe}' | '\u{ffff}' => push_visible(character, into),
        _ if character.is_control() => push_visible(character, into),
        _ => false,
    }
}

/// Controls, what is no character at all, and the marks that change the direction of text or begin a line without being a
/// line end.
fn is_unsafe(character: char) -> bool {
    let reorders =
        matches!(character, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let begins_a_line = matches!(character, '\u{2028}' | '\u{2029}');
    character.is_control() || reorders || begins_a_line || matches!(character, '\u{fffe}' | '\u{ffff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_text_is_not_copied() {
        for text in ["", "größe 🦀", "a\n\tb"] {
            assert!(matches!(printable(text), Cow::Borrowed(same) if same == text));
        }
        assert!(matches!(xml_text("it's"), Cow::Borrowed(_)));
    }

    #[test]
    fn controls_are_shown() {
        assert_eq!(printable("\u{1b}[31mred\u{9b}0m\r\n"), "\\u{1b}[31mred\\u{9b}0m\\u{d}\n");
        assert_eq!(printable("a\u{202e}b\u{2066}c\0"), "a\\u{202e}b\\u{2066}c\\u{0}");
        assert_eq!(one_line("a\nPASS b\t"), "a\\nPASS b\\t");
    }

    #[test]
    fn html_holds_no_markup_and_nothing_hidden() {
        assert_eq!(
            html_text("<b on=\"x\" id='y'>&\n\u{202e}\r\u{1b}"),
            "&lt;b on=&quot;x&quot; id=&#39;y&#39;&gt;&amp;\n\\u{202e}\\u{d}\\u{1b}"
        );
    }

    #[test]
    fn xml_holds_only_what_xml_may() {
        assert_eq!(xml_text("<a b=\"c\">&]]>\n\r"), "&lt;a b=&quot;c&quot;&gt;&amp;]]&gt;\n&#13;");
        assert_eq!(xml_text("\u{1b}\0\u{fffe}\u{ffff}é"), "\\u{1b}\\u{0}\\u{fffe}\\u{ffff}é");
        assert_eq!(xml_attribute("a\n\tb\r"), "a&#10;&#9;b&#13;");
    }
}
