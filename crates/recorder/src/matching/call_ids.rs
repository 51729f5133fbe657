//! Ids of Gemini's function calls. If the model does not provide ids, clients generate them in any form: the AI SDK
//! uses sixteen letters and digits. In these fields any string is an id; elsewhere only strings that look like one.

use serde_json::Value;

/// Maximum length of a field that is kept as an id.
const LONGEST: usize = 256;

/// Whether the field `name` of the object in `parent` is the id of a call.
pub(super) fn is_call_id(parent: &str, name: &str) -> bool {
    name == "id" && matches!(parent, "functionCall" | "functionResponse")
}

/// Whether a JSON pointer points at the id of a call.
pub(super) fn at_call_id(pointer: &str) -> bool {
    let mut names = pointer.rsplit('/');
    let name = names.next().expect("a split has a first part");
    let parent = names.next().unwrap_or_default();
    is_call_id(parent, name)
}

/// The values of all `id` fields in an answer, which may be truncated or contain several objects.
pub(super) fn said_in(text: &str) -> impl Iterator<Item = &str> {
    text.match_indices("\"id\"").filter_map(|(at, field)| {
        let value = text[at + field.len()..].trim_start().strip_prefix(':')?.trim_start().strip_prefix('"')?;
        let end = value.bytes().take(LONGEST + 1).position(|byte| byte == b'"')?;
        value.get(..end)
    })
}

/// Visits the id of every call in a request.
pub(super) fn sent_in(value: &Value, parent: &str, visit: &mut impl FnMut(&str)) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| sent_in(item, "", visit)),
        Value::Object(map) => {
            for (name, item) in map {
                match item.as_str() {
                    Some(id) if is_call_id(parent, name) => visit(id),
                    _ => sent_in(item, name, visit),
                }
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_ids_in_responses() {
        let answer =
            "data: {\"functionCall\": {\"id\" : \"a1\", \"args\": {\"id\": 5}}}\n\ndata: {\"id\":\"b2\",\"id\":\"torn";
        assert_eq!(said_in(answer).collect::<Vec<_>>(), ["a1", "b2"]);
    }

    #[test]
    fn recognises_id_pointers_of_calls_and_results_only() {
        for (pointer, is) in [
            ("/contents/1/parts/0/functionCall/id", true),
            ("/contents/2/parts/0/functionResponse/id", true),
            ("/contents/1/parts/0/functionCall/args/id", false),
            ("/contents/1/parts/0/functionCall/name", false),
            ("/id", false),
            ("", false),
        ] {
            assert_eq!(at_call_id(pointer), is, "{pointer}");
        }
    }
}
