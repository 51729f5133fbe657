//! Finds strings and numbers in data.

use serde_json::Value;

/// A string or a number in data.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DataLeaf<'v> {
    /// The name of the closest enclosing field; empty if there is none.
    pub(crate) name: &'v str,
    pub(crate) value: &'v Value,
}

/// The strings and numbers in a value.
pub(crate) fn leaves(value: &Value) -> Vec<DataLeaf<'_>> {
    let mut found = Vec::new();
    gather(value, "", &mut found);
    found
}

fn gather<'v>(value: &'v Value, name: &'v str, found: &mut Vec<DataLeaf<'v>>) {
    match value {
        Value::String(_) | Value::Number(_) => found.push(DataLeaf { name, value }),
        Value::Array(items) => items.iter().for_each(|item| gather(item, name, found)),
        Value::Object(map) => map.iter().for_each(|(name, value)| gather(value, name, found)),
        Value::Null | Value::Bool(_) => {}
    }
}
