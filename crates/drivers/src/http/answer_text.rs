//! Locates the text in a JSON value.

use serde_json::Value;

/// The usual locations of the text as JSON pointers, in order of precedence.
const USUAL: [&str; 12] = [
    "/choices/0/delta/content",
    "/choices/0/message/content",
    "/delta",
    "/delta/text",
    "/delta/content",
    "/token",
    "/content",
    "/text",
    "/answer",
    "/message",
    "/message/content",
    "/message/text",
];

/// The text of a value at a pointer, or else at the first usual location that has one. At a pointer that the user set,
/// anything but null counts as text; at a usual location only strings do.
pub(super) fn text(value: &Value, pointer: Option<&str>) -> Option<String> {
    match pointer {
        Some(pointer) => {
            let found = value.pointer(pointer).filter(|found| !found.is_null())?;
            Some(said(found).unwrap_or_else(|| found.to_string()))
        }
        None => USUAL.iter().find_map(|place| said(value.pointer(place)?)),
    }
}

/// Whether a value has an answer at a usual location other than `message`, which next to an `error` is the error
/// message.
pub(super) fn has_answer(value: &Value) -> bool {
    let places = USUAL.iter().filter(|place| **place != "/message");
    let mut found = places.filter_map(|place| value.pointer(place));
    found.any(|found| said(found).is_some_and(|text| found.is_array() || !text.trim().is_empty()))
}

/// The text of a string or of a list of parts, each of which is a string or has a `text`; `None` for anything else.
fn said(value: &Value) -> Option<String> {
    let Some(parts) = value.as_array() else { return value.as_str().map(str::to_owned) };
    let texts = parts.iter().map(|part| part.as_str().or_else(|| part.get("text")?.as_str()));
    texts.collect::<Option<String>>().filter(|_| !parts.is_empty())
}

/// The message of an error, or the whole value if it has none.
pub(super) fn words(value: &Value) -> String {
    let places = ["/error/message", "/error", "/message", "/errorText", "/detail", "/title", "/text", "/content"];
    let said = places.iter().find_map(|place| value.pointer(place).and_then(Value::as_str));
    said.or(value.as_str()).map_or_else(|| value.to_string(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn uses_first_usual_field_that_contains_text() {
        for (value, expected) in [
            (json!({"choices": [{"delta": {"content": "a"}}], "text": "b"}), Some("a")),
            (json!({"choices": [{"delta": {"role": "assistant", "content": null}}]}), None),
            (json!({"choices": [{"message": {"content": "a"}}]}), Some("a")),
            (json!({"delta": "a", "token": "b"}), Some("a")),
            (json!({"delta": {"type": "text_delta", "text": "a"}}), Some("a")),
            (json!({"delta": {"content": "a"}}), Some("a")),
            (json!({"delta": {"thinking": "hm"}, "token": "a"}), Some("a")),
            (json!({"token": "a", "content": "b"}), Some("a")),
            (json!({"content": "a", "text": "b"}), Some("a")),
            (json!({"content": [{"type": "text", "text": "a"}, "b"]}), Some("ab")),
            (json!({"content": [{"type": "image"}], "text": "a"}), Some("a")),
            (json!({"text": "a", "answer": "b"}), Some("a")),
            (json!({"answer": "a", "message": "b"}), Some("a")),
            (json!({"message": "a"}), Some("a")),
            (json!({"message": {"role": "assistant", "content": "a"}}), Some("a")),
            (json!({"message": {"parts": []}, "status": "working"}), None),
            (json!({"text": 5}), None),
            (json!([{"text": "a"}]), None),
        ] {
            assert_eq!(text(&value, None).as_deref(), expected, "{value}");
        }
    }

    #[test]
    fn pointer_selects_any_value() {
        let value =
            json!({"text": "usual", "data": {"out": ["a", {"text": "b"}], "n": 1.50, "no": null, "o": {"k": 1}}});
        for (pointer, expected) in [
            ("/data/out", Some("ab")),
            ("/data/out/0", Some("a")),
            ("/data/n", Some("1.50")),
            ("/data/o", Some("{\"k\":1}")),
            ("/data/no", None),
            ("/elsewhere", None),
        ] {
            let value: Value = serde_json::from_str(&value.to_string().replace("1.5,", "1.50,")).unwrap();
            assert_eq!(text(&value, Some(pointer)).as_deref(), expected, "{pointer}");
        }
    }

    #[test]
    fn finds_error_messages() {
        for (value, expected) in [
            (json!({"error": {"message": "a", "code": 1}}), "a"),
            (json!({"error": "a"}), "a"),
            (json!({"type": "error", "message": "a"}), "a"),
            (json!({"detail": "a"}), "a"),
            (json!("a"), "a"),
            (json!({"code": 7}), "{\"code\":7}"),
        ] {
            assert_eq!(words(&value), expected);
        }
    }
}
