//! Finds JSON in a text, and the input of the agent.

use std::borrow::Cow;

use agentci_trace::{EventKind, Trace};
use serde_json::Value;

/// The last input of the agent.
pub(crate) fn input(trace: &Trace) -> Option<&Value> {
    trace.events().iter().rev().find_map(|event| {
        let EventKind::TurnStart(input) = &event.kind else { return None };
        Some(&**input)
    })
}

/// The JSON in a text: the whole text, else the first fenced block marked `json` that parses, else the first block that
/// parses.
pub(crate) fn json_in(text: &str) -> Option<Value> {
    let read = |text: &str| serde_json::from_str(text.trim()).ok();
    read(text).or_else(|| {
        let blocks = || blocks(text);
        let marked = blocks().filter(|(tag, _)| tag.eq_ignore_ascii_case("json"));
        marked.chain(blocks()).find_map(|(_, inside)| read(inside))
    })
}

/// The fenced blocks of a text, each with its language tag.
fn blocks(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let (_, opened) = rest.split_once("```")?;
        let (inside, after) = opened.split_once("```").unwrap_or((opened, ""));
        rest = after;
        Some(inside.split_once('\n').map_or(("", inside), |(tag, inside)| (tag.trim(), inside)))
    })
}

/// A value that is an object or a list, or a string that contains one; and whether it was parsed from a string.
pub(crate) fn structured(value: &Value) -> Option<(Cow<'_, Value>, bool)> {
    match value {
        Value::Object(_) | Value::Array(_) => Some((Cow::Borrowed(value), false)),
        Value::String(text) => {
            json_in(text).filter(|read| read.is_object() || read.is_array()).map(|read| (Cow::Owned(read), true))
        }
        _ => None,
    }
}

/// The items of a list or the values of an object.
pub(crate) fn parts(data: &Value) -> Box<dyn Iterator<Item = &Value> + '_> {
    match data {
        Value::Object(map) => Box::new(map.values()),
        Value::Array(items) => Box::new(items.iter()),
        _ => Box::new(std::iter::empty()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn finds_json_in_code_fences() {
        for (text, found) in [
            (r#" {"a": 1} "#, Some(json!({"a": 1}))),
            ("7", Some(json!(7))),
            ("Here:\n```json\n{\"a\": 1}\n```\nDone.", Some(json!({"a": 1}))),
            ("```\n[1]\n```", Some(json!([1]))),
            ("```python\n[1]\n```", Some(json!([1]))),
            ("```\n[1]\n```\n```JSON\n[2]\n```", Some(json!([2]))),
            ("```\nx = 1\n```\n```\n[2]\n```", Some(json!([2]))),
            ("```json\n{\"a\": 1}", Some(json!({"a": 1}))),
            ("```{\"a\": 1}```", Some(json!({"a": 1}))),
            ("no JSON", None),
            ("```json\nno JSON\n```", None),
            ("```", None),
            ("", None),
        ] {
            assert_eq!(json_in(text), found, "{text}");
        }
    }

    #[test]
    fn scalars_are_not_structured() {
        assert_eq!(structured(&json!("7")), None);
        assert_eq!(structured(&json!(7)), None);
        assert_eq!(structured(&json!("[7]")), Some((Cow::Owned(json!([7])), true)));
        assert!(!structured(&json!([7])).unwrap().1);
    }
}
