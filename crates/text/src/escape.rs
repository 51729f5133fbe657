//! Escapes untrusted text for terminals, HTML and XML.
//!
//! Text of an agent, a suite or a model may contain anything. On a terminal, a control character can move the cursor,
//! recolour the screen or turn `PASS` into `FAIL`; in XML it makes the file invalid. Here it is shown as an escape:
//! `\u{1b}[31m`.

use std::borrow::Cow;

/// Escapes text for a terminal or a log: control characters (except newline and tab) and characters that reorder text.
pub fn printable(text: &str) -> Cow<'_, str> {
    replace(text, |character| match character {
        '\n' | '\t' => None,
        _ => shown_if_unsafe(character),
    })
}

/// Like [`printable`], for text that must stay on one line: newlines and tabs become `\n` and `\t`.
pub fn one_line(text: &str) -> Cow<'_, str> {
    replace(text, |character| match character {
        '\n' => Some("\\n".into()),
        '\t' => Some("\\t".into()),
        _ => shown_if_unsafe(character),
    })
}

/// Escapes text for HTML content or a double-quoted HTML attribute: markup, and everything that [`printable`] escapes.
pub fn html_text(text: &str) -> Cow<'_, str> {
    replace(text, |character| match character {
        '\n' | '\t' => None,
        // Our own attributes use double quotes, but users of this text may not.
        '\'' => Some("&#39;".into()),
        _ => as_xml(character).or_else(|| shown_if_unsafe(character)),
    })
}

/// Escapes text for XML content.
pub fn xml_text(text: &str) -> Cow<'_, str> {
    replace(text, |character| match character {
        // A bare carriage return would be read as a line feed.
        '\r' => Some("&#13;".into()),
        '\n' | '\t' => None,
        _ => as_xml(character),
    })
}

/// Escapes text for an XML attribute. Newlines and tabs become numeric references, since a parser would turn them into
/// spaces.
pub fn xml_attribute(text: &str) -> Cow<'_, str> {
    replace(text, |character| match character {
        '\n' => Some("&#10;".into()),
        '\r' => Some("&#13;".into()),
        '\t' => Some("&#9;".into()),
        _ => as_xml(character),
    })
}

/// The replacement of a character, if it is replaced.
type ShownCharacter = Option<Cow<'static, str>>;

/// Copies the text only if `change` replaces something in it.
fn replace(text: &str, change: impl Fn(char) -> ShownCharacter) -> Cow<'_, str> {
    let Some(first) = text.find(|character| change(character).is_some()) else { return Cow::Borrowed(text) };
    let (before, rest) = text.split_at(first);
    let mut changed = before.to_owned();
    for character in rest.chars() {
        match change(character) {
            Some(other) => changed.push_str(&other),
            None => changed.push(character),
        }
    }
    Cow::Owned(changed)
}

fn shown(character: char) -> Cow<'static, str> {
    character.escape_unicode().to_string().into()
}

fn shown_if_unsafe(character: char) -> ShownCharacter {
    is_unsafe(character).then(|| shown(character))
}

fn as_xml(character: char) -> ShownCharacter {
    match character {
        '&' => Some("&amp;".into()),
        '<' => Some("&lt;".into()),
        // Always escaped, so that no `]]>` is left.
        '>' => Some("&gt;".into()),
        '"' => Some("&quot;".into()),
        '\u{fffe}' | '\u{ffff}' => Some(shown(character)),
        _ if character.is_control() => Some(shown(character)),
        _ => None,
    }
}

/// Control characters, noncharacters, and marks that change the direction of text or separate lines.
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
    fn plain_text_is_borrowed() {
        for text in ["", "größe 🦀", "a\n\tb"] {
            assert!(matches!(printable(text), Cow::Borrowed(same) if same == text));
        }
        assert!(matches!(xml_text("it's"), Cow::Borrowed(_)));
    }

    #[test]
    fn escapes_control_characters() {
        assert_eq!(printable("\u{1b}[31mred\u{9b}0m\r\n"), "\\u{1b}[31mred\\u{9b}0m\\u{d}\n");
        assert_eq!(printable("a\u{202e}b\u{2066}c\0"), "a\\u{202e}b\\u{2066}c\\u{0}");
        assert_eq!(one_line("a\nPASS b\t"), "a\\nPASS b\\t");
    }

    #[test]
    fn html_text_escapes_markup_and_control_characters() {
        assert_eq!(
            html_text("<b on=\"x\" id='y'>&\n\u{202e}\r\u{1b}"),
            "&lt;b on=&quot;x&quot; id=&#39;y&#39;&gt;&amp;\n\\u{202e}\\u{d}\\u{1b}"
        );
    }

    #[test]
    fn xml_text_escapes_markup_and_invalid_characters() {
        assert_eq!(xml_text("<a b=\"c\">&]]>\n\r"), "&lt;a b=&quot;c&quot;&gt;&amp;]]&gt;\n&#13;");
        assert_eq!(xml_text("\u{1b}\0\u{fffe}\u{ffff}é"), "\\u{1b}\\u{0}\\u{fffe}\\u{ffff}é");
        assert_eq!(xml_attribute("a\n\tb\r"), "a&#10;&#9;b&#13;");
    }
}
