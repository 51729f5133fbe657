//! Fields of requests, which may be in camel case or snake case.

use serde_json::Value;

/// A field in camel case or snake case.
pub(in super::super) fn field<'j>(value: &'j Value, [camel, snake]: [&str; 2]) -> Option<&'j Value> {
    value.get(camel).or_else(|| value.get(snake)).filter(|value| **value != Value::Null)
}

pub(super) fn generation_config(request: &Value) -> Option<&Value> {
    field(request, ["generationConfig", "generation_config"])
}
