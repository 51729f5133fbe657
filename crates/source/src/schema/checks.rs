//! Schemas of native checks: whatever checks there are, each with its own arguments.

use crate::shape::CheckShape;
use serde_json::{Map, Value, json};

use super::writer::{SchemaWriter, reference};

const CHECK: &str = "check";
const NEGATED: &str = "negated-check";

/// A reference to the schema of a check, which is written once.
pub(super) fn check(writer: &mut SchemaWriter<'_>) -> Value {
    if !writer.definitions.contains_key(CHECK) {
        // The places are taken first: checks may stand within checks one day.
        writer.definitions.insert(CHECK.into(), Value::Null);
        let kinds: Map<String, Value> = writer.checks.iter().map(|check| kind(check, writer)).collect();
        let bare: Vec<&str> =
            writer.checks.iter().filter(|check| check.arguments.allows_nothing()).map(|check| check.name).collect();
        let mut properties = kinds.clone();
        properties.insert("not".into(), described("What must not hold.", reference(NEGATED)));
        properties.insert(
            "message".into(),
            json!({ "type": "string", "description": "What is said when it does not hold." }),
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
        // A condition rather than two ways to be right, so that a wrong mapping is told of as one.
        let either = |mapping: Value, about: &str| json!({ "description": about, "if": { "type": "string" }, "then": { "enum": bare }, "else": mapping });
        writer.definitions.insert(CHECK.into(), either(whole, "What is asked: the name of a check and its arguments."));
        writer.definitions.insert(NEGATED.into(), either(negated, "A check that must not hold."));
    }
    reference(CHECK)
}

/// The arguments of one check.
pub(super) fn arguments(name: &str, writer: &mut SchemaWriter<'_>) -> Value {
    let known = writer.checks.iter().copied().find(|check| check.name == name);
    known.map_or_else(|| json!({}), |check| writer.arguments(&check.arguments))
}

/// What stands after the name of a check, which is written once.
fn kind(check: &CheckShape, writer: &mut SchemaWriter<'_>) -> (String, Value) {
    let arguments = writer.arguments(&check.arguments);
    let name = format!("{CHECK}-{}", check.name);
    writer.definitions.insert(name.clone(), described(check.about, arguments));
    (check.name.to_owned(), reference(&name))
}

/// The same schema with a description, beside which a reference alone would be all that counts.
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
