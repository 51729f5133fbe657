//! Stores a request body as a patch to an earlier one: most requests of a conversation repeat the whole history.

use json_patch::{Patch, PatchOperation};
use serde_json::Value;

use super::content::is_shallow;

/// A patch with more steps is not used: each step may move a long list.
const MOST_STEPS: usize = 1_000;
/// A shorter body is written completely: it is easier to read.
const WORTHWHILE: usize = 512;

/// The patch from `base` to `body`, if it is less than half as long. The order of keys and the digits of numbers
/// matter.
pub(super) fn patch_between(base: &Value, body: &Value, written: &str) -> Option<Value> {
    if written.len() < WORTHWHILE || !is_shallow(body) || !is_shallow(base) {
        return None;
    }
    let patch = json_patch::diff(base, body);
    if patch.0.len() > MOST_STEPS {
        return None;
    }
    let patch = serde_json::to_value(&patch).ok()?;
    if patch.to_string().len() > written.len() / 2 {
        return None;
    }
    // The result must be exactly what was sent; an object with another order of keys is equal but not the same.
    let back = patched(base.clone(), patch.clone()).ok()?.to_string();
    (back == written).then_some(patch)
}

/// Applies a patch to an earlier body. Only the steps that are written are allowed: copies of copies could fill any
/// amount of memory.
pub(super) fn patched(mut base: Value, patch: Value) -> Result<Value, String> {
    let patch: Patch =
        serde_json::from_value(patch).map_err(|error| format!("`patch` is not a JSON patch: {error}"))?;
    if patch.0.len() > MOST_STEPS {
        return Err(format!("`patch` may have at most {MOST_STEPS} steps, this one has {}", patch.0.len()));
    }
    let allowed = |step: &PatchOperation| {
        matches!(step, PatchOperation::Add(_) | PatchOperation::Remove(_) | PatchOperation::Replace(_))
    };
    if !patch.0.iter().all(allowed) {
        return Err("`patch` may only have the steps `add`, `remove` and `replace`".into());
    }
    json_patch::patch_unsafe(&mut base, &patch).map_err(|error| format!("`patch` does not fit: {error}"))?;
    Ok(base)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn long() -> String {
        "all that was said before ".repeat(40)
    }

    fn between(base: &Value, body: &Value) -> Option<Value> {
        patch_between(base, body, &body.to_string())
    }

    #[test]
    fn appended_message_is_a_small_patch() {
        let base = json!({"messages": [long()]});
        let body = json!({"messages": [long(), "next"]});
        assert_eq!(between(&base, &body), Some(json!([{"op": "add", "path": "/messages/1", "value": "next"}])));
    }

    #[test]
    fn preserves_digits_of_numbers() {
        let value = |number: &str| -> Value {
            serde_json::from_str(&format!(r#"{{"text":"{}","number":{number}}}"#, long())).unwrap()
        };
        let patch = between(&value("1.0"), &value("1.00")).unwrap();
        assert_eq!(patched(value("1.0"), patch).unwrap().to_string(), value("1.00").to_string());
    }

    #[test]
    fn no_patch_for_different_key_order() {
        let base = json!({"text": long(), "a": 1, "b": 2, "c": 3});
        assert_eq!(between(&base, &json!({"text": long(), "b": 2, "a": 1, "c": 3})), None);
        // An object without one of its keys must still be exactly what was sent.
        let body = json!({"text": long(), "b": 2, "c": 3});
        if let Some(patch) = between(&base, &body) {
            assert_eq!(patched(base, patch).unwrap().to_string(), body.to_string());
        }
    }

    #[test]
    fn no_patch_if_savings_are_small_or_steps_many() {
        assert_eq!(between(&json!({"a": "x"}), &json!({"a": long()})), None);
        let many =
            |first: usize| json!({"text": long().repeat(200), "list": (first..first + 1_001).collect::<Vec<_>>()});
        assert_eq!(between(&many(0), &many(1)), None);
    }

    #[test]
    fn refuses_unsupported_misplaced_and_too_many_steps() {
        let copies = json!([{"op": "copy", "from": "", "path": "/a"}]);
        assert!(patched(json!({}), copies).unwrap_err().contains("may only have"));
        let misplaced = json!([{"op": "remove", "path": "/a/b"}]);
        assert!(patched(json!({}), misplaced).unwrap_err().contains("does not fit"));
        let many: Vec<Value> = (0..=MOST_STEPS).map(|_| json!({"op": "add", "path": "/a", "value": 1})).collect();
        assert!(patched(json!({}), many.into()).unwrap_err().contains("1000 steps"));
    }
}
