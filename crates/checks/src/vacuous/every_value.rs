//! Whether a JSON Schema accepts every value.

use std::path::Path;

use agentci_plan::Check;
use agentci_source::{Diagnostic, Files, Node, Reading, Span, join};
use serde_json::Value;

use super::cannot_fail::warning;
use crate::json_schema::SCHEMA_LIMIT;

/// Keywords of a JSON Schema that require nothing.
const SILENT: [&str; 12] = [
    "$schema",
    "$id",
    "$comment",
    "$defs",
    "definitions",
    "title",
    "description",
    "default",
    "examples",
    "deprecated",
    "readOnly",
    "writeOnly",
];

/// The types of JSON; an integer is a number.
const TYPES: [&str; 6] = ["null", "boolean", "object", "array", "number", "string"];

/// Warns about a schema that accepts every value.
pub(super) fn any_value(check: &Check, folder: &Path, files: &dyn Files) -> Option<Diagnostic> {
    let arguments = &check.arguments;
    // With `of: text`, the answer must still be JSON.
    if arguments.get("of").and_then(Node::as_text).as_deref() == Some("text") {
        return None;
    }
    let (_, span) = schema_of(check, folder, files).filter(|(schema, _)| accepts_all(schema))?;
    let message = format!("`{}` accepts every output: the schema requires nothing", check.name());
    let help = "constrain the output with `type`, `required` or `properties`, or remove the check";
    Some(warning(span, message, help))
}

/// The schema of a `json_schema` check, and the place where it is written or named.
pub(crate) fn schema_of(check: &Check, folder: &Path, files: &dyn Files) -> Option<(Value, Span)> {
    let arguments = &check.arguments;
    if let Some(node) = arguments.get("schema") {
        return Some((node.value(Reading::Core).ok()?, node.span));
    }
    let path = arguments.get("path").unwrap_or(arguments);
    let found = files.read_text(&join(folder, &path.as_text()?), SCHEMA_LIMIT).ok()?;
    Some((serde_json::from_str(&found).ok()?, path.span))
}

/// Whether a schema accepts every value, judged by its own keywords; references are not followed.
fn accepts_all(schema: &Value) -> bool {
    match schema {
        Value::Bool(all) => *all,
        Value::Object(map) => map.iter().all(|(key, value)| is_silent(key, value)),
        _ => false,
    }
}

/// Whether a keyword of a schema requires nothing.
fn is_silent(key: &str, value: &Value) -> bool {
    let list = |test: &dyn Fn(&[Value]) -> bool| value.as_array().is_some_and(|items| test(items));
    match key {
        _ if SILENT.contains(&key) => true,
        "type" => list(&|types| TYPES.iter().all(|name| types.iter().any(|given| given == name))),
        "properties" | "patternProperties" | "dependentSchemas" => {
            value.as_object().is_some_and(|map| map.values().all(accepts_all))
        }
        "items" if value.is_array() => list(&|items| items.iter().all(accepts_all)),
        "items"
        | "additionalItems"
        | "unevaluatedItems"
        | "additionalProperties"
        | "unevaluatedProperties"
        | "propertyNames"
        | "then"
        | "else" => accepts_all(value),
        "allOf" | "prefixItems" => list(&|items| items.iter().all(accepts_all)),
        "anyOf" => list(&|items| items.iter().any(accepts_all)),
        "oneOf" => list(&|items| matches!(items, [only] if accepts_all(only))),
        "not" | "uniqueItems" => *value == Value::Bool(false),
        "if" => true,
        "required" => list(&<[Value]>::is_empty),
        "minLength" | "minItems" | "minProperties" => value.as_f64() == Some(0.0),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn detects_schemas_that_accept_everything() {
        use serde_json::json;
        let types = json!(["null", "boolean", "object", "array", "number", "string", "integer"]);
        for schema in [
            json!(true),
            json!({ "properties": {} }),
            json!({ "properties": { "a": { "title": "A" } }, "additionalProperties": true }),
            json!({ "allOf": [{}] }),
            json!({ "anyOf": [{ "type": "string" }, {}] }),
            json!({ "oneOf": [true] }),
            json!({ "type": types }),
            json!({ "required": [], "minLength": 0, "items": {}, "not": false }),
        ] {
            assert!(accepts_all(&schema), "{schema}");
        }
        for schema in [
            json!(false),
            json!({ "properties": { "a": { "type": "string" } } }),
            json!({ "properties": { "a": false } }),
            json!({ "allOf": [{}, { "type": "string" }] }),
            json!({ "anyOf": [{ "type": "string" }] }),
            json!({ "oneOf": [{}, {}] }),
            json!({ "type": ["null", "boolean", "object", "array", "integer", "string"] }),
            json!({ "required": ["a"] }),
            json!({ "additionalProperties": false }),
            json!({ "$ref": "#/$defs/a" }),
            json!({ "contains": {} }),
            json!({ "const": null }),
            json!({ "not": {} }),
        ] {
            assert!(!accepts_all(&schema), "{schema}");
        }
    }
}
