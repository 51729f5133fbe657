//! The text of a message's content.

use std::borrow::Cow;

use serde_json::Value;

/// The text of a content: a string, or a list of parts, where each part with a text is a line.
pub(super) fn text(content: &Value) -> Cow<'_, str> {
    match content {
        Value::String(text) => Cow::Borrowed(text),
        Value::Array(parts) => joined(parts.iter().filter_map(part)),
        // In some requests a single part replaces the list.
        Value::Object(_) => part(content).map(Cow::Borrowed).unwrap_or_default(),
        _ => Cow::Borrowed(""),
    }
}

/// The text of a tool's result, with data as JSON.
pub(super) fn result(content: &Value) -> Cow<'_, str> {
    match content {
        Value::Null => Cow::Borrowed(""),
        Value::String(_) => text(content),
        Value::Array(parts) if parts.iter().any(|found| part(found).is_some()) => text(content),
        other => Cow::Owned(other.to_string()),
    }
}

/// Joins texts, one line each.
pub(super) fn joined<'t>(texts: impl IntoIterator<Item = &'t str>) -> Cow<'t, str> {
    match texts.into_iter().collect::<Vec<_>>().as_slice() {
        [only] => Cow::Borrowed(only),
        several => Cow::Owned(several.join("\n")),
    }
}

/// The text of one part: its text, a refusal, or a document that is given as text.
fn part(part: &Value) -> Option<&str> {
    let document = || {
        let source = part.get("source").filter(|source| source["type"] == "text")?;
        source.get("data")
    };
    part.get("text").or_else(|| part.get("refusal")).or_else(document).and_then(Value::as_str).or(part.as_str())
}
