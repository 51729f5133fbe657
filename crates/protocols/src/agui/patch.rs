//! Applies JSON Patch (RFC 6902), with limits on the size of the document.

use json_patch::jsonptr::PointerBuf;
use json_patch::{
    AddOperation, CopyOperation, MoveOperation, PatchErrorKind, PatchOperation, RemoveOperation, ReplaceOperation,
    TestOperation, patch_unsafe,
};
use serde_json::Value;

use super::fields::quote;

/// The maximum depth of a path; together with serde's limit, this keeps every document shallow enough for recursion.
const DEEPEST_PATH: usize = 128;
/// The maximum depth of a document after copies and moves.
const DEEPEST: usize = 256;
/// The approximate size limit of a document after copies, in bytes.
const LARGEST: usize = 16 << 20;

/// Applies a patch completely, or not at all.
pub(super) fn apply(document: &mut Value, operations: Vec<Value>) -> Result<(), String> {
    let mut patch = Vec::with_capacity(operations.len());
    for operation in operations {
        match read(&operation) {
            Some(operation) if operation.path().tokens().count() <= DEEPEST_PATH => patch.push(operation),
            Some(operation) => {
                let shown = quote(operation.path().as_str(), 80);
                return Err(format!("it reaches deeper than {DEEPEST_PATH} levels with `{shown}`"));
            }
            None => {
                return Err(format!("`{}` is not a JSON Patch operation", quote(&operation.to_string(), 80)));
            }
        }
    }
    if let [operation] = patch.as_slice()
        && !matches!(operation, PatchOperation::Move(_) | PatchOperation::Copy(_))
    {
        // A single operation fails before it changes anything.
        return step(document, operation);
    }
    let mut changed = document.clone();
    for operation in &patch {
        step(&mut changed, operation)?;
        let mut left = LARGEST;
        if matches!(operation, PatchOperation::Move(_) | PatchOperation::Copy(_))
            && weigh(&changed, DEEPEST, &mut left).is_none()
        {
            return Err(format!("it grows too large or too deep at `{}`", operation.path()));
        }
    }
    *document = changed;
    Ok(())
}

/// Reads one operation. By hand, because the derived deserializer corrupts long numbers.
fn read(operation: &Value) -> Option<PatchOperation> {
    let pointer = |name: &str| PointerBuf::parse(operation.get(name)?.as_str()?).ok();
    let path = pointer("path")?;
    let value = || operation.get("value").cloned();
    Some(match operation.get("op")?.as_str()? {
        "add" => PatchOperation::Add(AddOperation { path, value: value()? }),
        "remove" => PatchOperation::Remove(RemoveOperation { path }),
        "replace" => PatchOperation::Replace(ReplaceOperation { path, value: value()? }),
        "move" => PatchOperation::Move(MoveOperation { from: pointer("from")?, path }),
        "copy" => PatchOperation::Copy(CopyOperation { from: pointer("from")?, path }),
        "test" => PatchOperation::Test(TestOperation { path, value: value()? }),
        _ => return None,
    })
}

fn step(document: &mut Value, operation: &PatchOperation) -> Result<(), String> {
    patch_unsafe(document, std::slice::from_ref(operation)).map_err(|error| {
        let path = quote(operation.path().as_str(), 80);
        match error.kind {
            PatchErrorKind::TestFailed => format!("the value at `{path}` does not match its `test`"),
            PatchErrorKind::InvalidFromPointer => format!("the source of `{path}` does not exist"),
            PatchErrorKind::CannotMoveInsideItself => format!("a value cannot be moved into itself, to `{path}`"),
            _ => format!("`{path}` does not exist"),
        }
    })
}

/// `None` if the value exceeds the limits.
fn weigh(value: &Value, depth: usize, left: &mut usize) -> Option<()> {
    let own = 16 + value.as_str().map_or(0, str::len);
    *left = left.checked_sub(own)?;
    match value {
        Value::Array(items) => {
            let depth = depth.checked_sub(1)?;
            items.iter().try_for_each(|item| weigh(item, depth, left))
        }
        Value::Object(map) => {
            let depth = depth.checked_sub(1)?;
            map.iter().try_for_each(|(key, item)| {
                *left = left.checked_sub(key.len())?;
                weigh(item, depth, left)
            })
        }
        _ => Some(()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn patched(document: &Value, operations: &Value) -> Result<Value, String> {
        let mut changed = document.clone();
        let result = apply(&mut changed, operations.as_array().unwrap().clone());
        if result.is_err() {
            assert_eq!(changed, *document, "a patch that fails changes nothing");
        }
        result.map(|()| changed)
    }

    #[test]
    fn applies_all_operations_and_preserves_number_precision() {
        let long: Value = serde_json::from_str("123456789012345678901234567890").unwrap();
        let operations = json!([
            {"op": "add", "path": "/a/-", "value": long},
            {"op": "replace", "path": "/b~1c", "value": 1.0},
            {"op": "move", "from": "/a/0", "path": "/d"},
            {"op": "test", "path": "/d", "value": 1}
        ]);
        let changed = patched(&json!({"a": [1], "b/c": 0}), &operations).unwrap();
        assert_eq!(changed, json!({"a": [long], "b/c": 1.0, "d": 1}));
    }

    #[test]
    fn failing_patch_reports_the_path() {
        let document = json!({"a": {"b": 1}});
        for (operations, why) in [
            (json!([{"op": "replace", "path": "/x/y", "value": 1}]), "`/x/y` does not exist"),
            (json!([{"op": "remove", "path": "/a/b"}, {"op": "remove", "path": "/a/b"}]), "`/a/b` does not exist"),
            (json!([{"op": "move", "from": "/a/b", "path": "/no/way"}]), "`/no/way` does not exist"),
            (json!([{"op": "copy", "from": "/c", "path": "/d"}]), "the source of `/d` does not exist"),
            (json!([{"op": "test", "path": "/a/b", "value": 2}]), "the value at `/a/b` does not match its `test`"),
            (json!([{"op": "move", "from": "/a", "path": "/a/b"}]), "a value cannot be moved into itself, to `/a/b`"),
            (json!([{"op": "set", "path": "/a"}]), "`{\"op\":\"set\",\"path\":\"/a\"}` is not a JSON Patch operation"),
        ] {
            assert_eq!(patched(&document, &operations).unwrap_err(), why);
        }
    }

    #[test]
    fn limits_document_size_and_depth() {
        let doubling: Vec<Value> = (0..300).map(|_| json!({"op": "copy", "from": "", "path": "/a"})).collect();
        let deepening = patched(&json!({"a": 1}), &json!(doubling)).unwrap_err();
        assert_eq!(deepening, "it grows too large or too deep at `/a`");
        let widening: Vec<Value> = (0..64).map(|_| json!({"op": "copy", "from": "", "path": "/-"})).collect();
        assert!(patched(&json!([["x".repeat(1000)]]), &json!(widening)).is_err());
        let deep = json!([{"op": "add", "path": "/a".repeat(200), "value": 1}]);
        assert!(patched(&json!({}), &deep).unwrap_err().starts_with("it reaches deeper than 128 levels"));
    }
}
