//! Writes the schemas of native checks, each with its own arguments.

use crate::shape::CheckShape;
use serde_json::{Map, Value, json};

use super::writer::{SchemaWriter, reference};

const CHECK: &str = "check";
const NEGATED: &str = "negated-check";

/// A reference to the schema of a check, which is written once.
pub(super) fn check(writer: &mut SchemaWriter<'_>) -> Value {
    if !writer.definitions.contains_key(CHECK) {
        // The definition is inserted before it is complete, in case checks contain checks one day.
        writer.definitions.insert(CHECK.into(), Value::Null);
        let kinds: Map<String, Value> = writer.checks.iter().map(|check| kind(check, writer)).collect();
        let bare: Vec<&str> =
            writer.checks.iter().filter(|check| check.arguments.allows_nothing()).map(|check| check.name).collect();
        let mut properties = kinds.clone();
        properties.insert("not".into(), described("A check that must not pass.", reference(NEGATED)));
        properties.insert(
            "message".into(),
            json!({ "type": "string", "description": "Message to show when the check fails." }),
        );
        let whole = json!({
            "type": "object",
            "properties": properties,
            "additionalProperties": false,
            "if": { "required": ["message"] },
            "then": { "minProperties": 2, "maxProperties": 2 },
            "else": { "minProperties": 1, "maxProperties": 1 },
        });
        let negated = json!({
            "type": "object",
            "properties": kinds,
            "additionalProperties": false,
            "minProperties": 1,
            "maxProperties": 1,
        });
        // A condition instead of two alternatives, so that errors in a mapping are reported as such.
        let either = |mapping: Value, about: &str| json!({ "description": about, "if": { "type": "string" }, "then": { "enum": bare }, "else": mapping });
        writer.definitions.insert(CHECK.into(), either(whole, "A check: its name and its arguments."));
        writer.definitions.insert(NEGATED.into(), either(negated, "A check that must not pass."));
    }
    reference(CHECK)
}

/// The arguments of one check.
pub(super) fn arguments(name: &str, writer: &mut SchemaWriter<'_>) -> Value {
    let known = writer.checks.iter().copied().find(|check| check.name == name);
    known.map_or_else(|| json!({}), |check| writer.arguments(&check.arguments))
}

/// The schema of the arguments of a check, which is written once.
fn kind(check: &CheckShape, writer: &mut SchemaWriter<'_>) -> (String, Value) {
    let arguments = writer.arguments(&check.arguments);
    let name = format!("{CHECK}-{}", check.name);
    writer.definitions.insert(name.clone(), described(check.about, arguments));
    (check.name.to_owned(), reference(&name))
}

/// Adds a description to a schema. In draft-07 everything next to a `$ref` is ignored, so a reference is wrapped.
pub(super) fn described(about: &str, schema: Value) -> Value {
    let mut whole = Map::new();
    whole.insert("description".into(), about.into());
    match schema {
        Value::Object(map) if map.contains_key("$ref") => {
            whole.insert("allOf".into(), Value::Array(vec![Value::Object(map)]));
        }
        Value::Object(map) => whole.extend(map),
        _ => {}
    }
    Value::Object(whole)
}
