//! Writes data as YAML: block style, one spelling for each value, and strings in quotes wherever a reader could take
//! them for something else.

use std::borrow::Cow;
use std::fmt::Write as _;

use crate::{Content, Key, Node, Pair, Reading, Scalar};
use serde_json::Value;

/// YAML allows 1024 characters for a key before a `:`; longer keys need a `?` in front.
const SIMPLE_KEY_LIMIT: usize = 1000;

/// Writes a node as a YAML document.
pub fn write(node: &Node) -> String {
    let mut out = String::new();
    block(&mut out, node, 0, false);
    out
}

/// Writes a node to the end of its last line; `begun` means that its first line is already indented.
fn block(out: &mut String, node: &Node, indent: usize, begun: bool) {
    if let Some(word) = inline(node) {
        out.push_str(&word);
        out.push('\n');
        return;
    }
    for (index, item) in node.items().unwrap_or_default().iter().enumerate() {
        spaces(out, if index == 0 && begun { 0 } else { indent });
        out.push_str("- ");
        block(out, item, indent + 2, true);
    }
    for (index, Pair { key: Key { text: key, .. }, value }) in node.pairs().unwrap_or_default().iter().enumerate() {
        spaces(out, if index == 0 && begun { 0 } else { indent });
        let key = scalar(key);
        if key.chars().count() > SIMPLE_KEY_LIMIT {
            out.push_str("? ");
            out.push_str(&key);
            out.push('\n');
            spaces(out, indent);
        } else {
            out.push_str(&key);
        }
        out.push_str(if inline(value).is_some() { ": " } else { ":\n" });
        block(out, value, indent + 2, false);
    }
}

fn spaces(out: &mut String, count: usize) {
    out.extend(std::iter::repeat_n(' ', count));
}

/// What fits after a key or a dash; `None` if the node needs lines of its own.
fn inline(node: &Node) -> Option<Cow<'_, str>> {
    match &node.content {
        Content::Scalar(written) => Some(typed(written)),
        Content::List(items) => items.is_empty().then_some(Cow::Borrowed("[]")),
        Content::Map(pairs) => pairs.is_empty().then_some(Cow::Borrowed("{}")),
    }
}

fn typed(scalar: &Scalar) -> Cow<'_, str> {
    match scalar.value(Reading::Core) {
        Some(Value::String(_)) => self::scalar(&scalar.text),
        Some(Value::Null) => Cow::Borrowed("null"),
        // Numbers keep their digits.
        _ => Cow::Borrowed(&scalar.text),
    }
}

/// A string, for a place in block style: in quotes only if a reader could take it for something else.
pub fn scalar(text: &str) -> Cow<'_, str> {
    if is_plain(text) { Cow::Borrowed(text) } else { Cow::Owned(quoted(text)) }
}

/// Whether a string stays a string without quotes, for readers of both YAML 1.1 and 1.2.
fn is_plain(text: &str) -> bool {
    let Some(first) = text.chars().next() else { return false };
    let begins_well = if first.is_ascii_digit() {
        // `20s` and similar; anything longer could be a date or a number in some dialect.
        text.chars().all(|c| c.is_ascii_alphanumeric()) && text.contains(|c: char| c.is_ascii_alphabetic())
    } else {
        first.is_alphabetic() || matches!(first, '_' | '/' | '$') || text.starts_with("./") || text.starts_with("../")
    };
    let allowed = |c: char| c.is_ascii_alphanumeric() || c.is_alphabetic() || " _-./,:;()'?!$+=@&%*{}".contains(c);
    let stays_text = |reading| matches!(Scalar::plain(text).value(reading), Some(Value::String(_)));
    begins_well
        && text.chars().all(allowed)
        && !text.contains(": ")
        && !text.ends_with([' ', ':'])
        && !matches!(text, "y" | "Y" | "n" | "N")
        && stays_text(Reading::Core)
        && stays_text(Reading::Legacy)
}

/// A value on one line, with its strings in quotes: JSON with spaces between its parts, which is also YAML.
pub fn flow(value: &Value) -> String {
    match value {
        Value::Array(items) => format!("[{}]", items.iter().map(flow).collect::<Vec<_>>().join(", ")),
        Value::Object(map) => {
            let pairs = map.iter().map(|(key, value)| format!("{}: {}", quoted(key), flow(value)));
            format!("{{{}}}", pairs.collect::<Vec<_>>().join(", "))
        }
        Value::String(text) => quoted(text),
        other => other.to_string(),
    }
}

/// A string in double quotes, on one line, with all invisible characters escaped.
pub fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            hidden if is_hidden(hidden) => {
                let code = u32::from(hidden);
                // Writing to a `String` cannot fail.
                let _ = if code <= 0xffff { write!(out, "\\u{code:04x}") } else { write!(out, "\\U{code:08x}") };
            }
            visible => out.push(visible),
        }
    }
    out.push('"');
    out
}

/// Whether a character is invisible: control characters, separators that some readers take for line ends, directional
/// marks and noncharacters.
fn is_hidden(character: char) -> bool {
    let code = u32::from(character);
    character.is_control()
        || matches!(code, 0x2028..=0x202e | 0x2066..=0x2069 | 0x200b..=0x200f | 0xfeff | 0xfdd0..=0xfdef)
        || code & 0xfffe == 0xfffe
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use crate::{Sources, Span};
    use serde_json::json;

    use super::*;

    fn emitted(value: &Value) -> String {
        let file = Sources::default().add(Path::new("a"), "");
        write(&Node::from_value(value, Span::whole(file)))
    }

    fn read(text: &str) -> Value {
        let file = Sources::default().add(Path::new("a"), text);
        crate::yaml::parse(text, file).unwrap().value(Reading::Core).unwrap()
    }

    #[test]
    fn writes_block_style() {
        let value = json!({"a": {"b": [1, {"c": "two words", "d": []}, [true, null]]}, "e": {}});
        assert_eq!(
            emitted(&value),
            "a:\n  b:\n    - 1\n    - c: two words\n      d: []\n    - - true\n      - null\ne: {}\n"
        );
    }

    #[test]
    fn quotes_ambiguous_strings() {
        for (text, written) in [
            ("hello, world", "hello, world"),
            ("cases/a b.jsonl", "cases/a b.jsonl"),
            ("./x", "./x"),
            ("20s", "20s"),
            ("mcp:call", "mcp:call"),
            ("hi ${NAME}", "hi ${NAME}"),
            ("", "\"\""),
            ("yes", "\"yes\""),
            ("Off", "\"Off\""),
            ("n", "\"n\""),
            ("null", "\"null\""),
            ("1e3", "\"1e3\""),
            ("0x1f", "\"0x1f\""),
            ("2024-01-31", "\"2024-01-31\""),
            ("1:30", "\"1:30\""),
            (".inf", "\".inf\""),
            ("~", "\"~\""),
            ("a: b", "\"a: b\""),
            ("a:", "\"a:\""),
            ("a #b", "\"a #b\""),
            (" a", "\" a\""),
            ("- a", "\"- a\""),
            ("<<", "\"<<\""),
            ("a\n\"b\\", "\"a\\n\\\"b\\\\\""),
            ("\u{0}\u{85}\u{2028}\u{feff}", "\"\\u0000\\u0085\\u2028\\ufeff\""),
        ] {
            assert_eq!(emitted(&json!(text)), format!("{written}\n"));
            assert_eq!(read(&emitted(&json!({ text: [text] }))), json!({ text: [text] }));
        }
    }

    #[test]
    fn long_keys_round_trip() {
        let key = "k".repeat(3000);
        let value = json!({"a": [{ key.clone(): { key.clone(): [1] }, "b": 2, key + "x": "c" }]});
        assert_eq!(read(&emitted(&value)), value);
    }
}
