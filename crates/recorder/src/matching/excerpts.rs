//! Excerpts of two different values for messages.

use agentci_text::{ValueType, excerpt, one_line};
use serde_json::Value;

/// How many characters of a line are shown, and how many of them before the difference.
const SHOWN: usize = 120;
const BEFORE: usize = 40;

/// The line of a position, from 1.
pub(super) fn line_of(text: &str, position: usize) -> usize {
    1 + memchr::memchr_iter(b'\n', &text.as_bytes()[..position.min(text.len())]).count()
}

/// The line around a position, shortened on both sides if it is long.
pub(super) fn around(text: &str, position: usize) -> String {
    let position = text.floor_char_boundary(position.min(text.len()));
    let start = text[..position].rfind('\n').map_or(0, |end| end + 1);
    let end = text[position..].find('\n').map_or(text.len(), |length| position + length);
    let line = &text[start..end];
    let before = text[start..position].chars().count();
    if before <= SHOWN - BEFORE {
        return one_line(&excerpt(line, SHOWN)).into_owned();
    }
    let from = text[start..position].char_indices().rev().nth(BEFORE - 1).map_or(0, |(at, _)| at);
    format!("...{}", one_line(&excerpt(&line[from..], SHOWN)))
}

/// Any value, on one line.
pub(super) fn shown(value: Option<&Value>) -> String {
    match value {
        None => "(nothing)".into(),
        Some(Value::String(text)) => around(text, 0),
        Some(value) => excerpt(&value.to_string(), SHOWN).into_owned(),
    }
}

/// A value next to one of another type, with its type if both look the same.
pub(super) fn typed(value: &Value, other: &Value) -> String {
    let kind = ValueType::of(value);
    match shown(Some(value)) {
        text if kind != ValueType::of(other) && !value.is_null() => format!("{text} ({})", kind.described()),
        text => text,
    }
}

/// The lines around the positions at which two texts differ. If both look the same, for example because only one ends
/// with a newline, invisible characters are escaped.
pub(super) fn both_around(recorded: (&str, usize), sent: (&str, usize)) -> (String, String) {
    let (one, other) = (around(recorded.0, recorded.1), around(sent.0, sent.1));
    if one != other {
        return (one, other);
    }
    let escaped = |(text, position): (&str, usize)| {
        let position = text.floor_char_boundary(position.min(text.len()));
        let from = text[..position].char_indices().rev().nth(BEFORE - 1).map_or(0, |(at, _)| at);
        let part: String = text[from..].chars().take(SHOWN).collect();
        format!("{part:?}")
    };
    (escaped(recorded), escaped(sent))
}
