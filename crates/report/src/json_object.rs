//! Builds JSON values: objects with optional fields, and values as text.

use serde::Serialize;
use serde_json::{Map, Value, json};

/// An object with the present fields, in this order.
pub(crate) fn object<const N: usize>(fields: [(&str, Option<Value>); N]) -> Map<String, Value> {
    fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect()
}

/// A list, unless it is empty.
pub(crate) fn list(items: &[impl Serialize]) -> Option<Value> {
    (!items.is_empty()).then(|| json!(items))
}

/// A string as it is, and any other value as JSON.
pub(crate) fn plain_text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
