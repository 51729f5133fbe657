//! Validates values against the schemas in requests, within limits: the schemas are not trusted.

use std::collections::BTreeSet;

use jsonschema::PatternOptions;
use serde_json::{Value, json};

/// The maximum number of parts of a schema; referenced parts count each time. A larger schema is ignored.
const PARTS: usize = 20_000;
/// The keys whose schemas apply to parts of a value.
const INSIDE: [&str; 6] =
    ["properties", "items", "prefixItems", "additionalProperties", "patternProperties", "contains"];
/// Characters of an error to show.
const SHOWN: usize = 300;

/// The first way in which a value violates a schema. A schema that is invalid, refers to another file or is too large
/// is ignored.
pub(super) fn misfit(schema: &Value, value: &Value) -> Option<String> {
    if SchemaWalk::new(schema).is_too_much(schema, true) {
        return None;
    }
    let validator = jsonschema::options().with_pattern_options(PatternOptions::regex()).build(schema).ok()?;
    let error = validator.iter_errors(value).next()?;
    let place = error.instance_path().to_string();
    let message: String = error.to_string().chars().take(SHOWN).collect();
    Some(if place.is_empty() { message } else { format!("at `{place}`, {message}") })
}

/// Lets parts of a schema with `nullable: true` be null. `OpenAPI` 3.0 and the tools generated from it write it this
/// way, and models follow it, but JSON Schema does not have this key.
pub(super) fn or_null(schema: &mut Value) {
    let Value::Object(pairs) = schema else { return };
    for (key, part) in pairs.iter_mut() {
        match (key.as_str(), part) {
            ("properties" | "patternProperties" | "$defs" | "definitions", Value::Object(parts)) => {
                parts.values_mut().for_each(or_null);
            }
            ("anyOf" | "oneOf" | "allOf" | "prefixItems" | "items", Value::Array(parts)) => {
                parts.iter_mut().for_each(or_null);
            }
            ("items" | "additionalProperties", part) => or_null(part),
            _ => {}
        }
    }
    if pairs.remove("nullable") != Some(Value::Bool(true)) {
        return;
    }
    match pairs.get_mut("type") {
        Some(Value::Array(kinds)) => kinds.push("null".into()),
        Some(kind) => *kind = json!([kind.take(), "null"]),
        None => {}
    }
    if let Some(Value::Array(values)) = pairs.get_mut("enum") {
        values.push(Value::Null);
    }
    if ["$ref", "allOf", "anyOf", "oneOf", "const"].iter().any(|key| pairs.contains_key(*key)) {
        *schema = json!({ "anyOf": [{ "type": "null" }, schema.take()] });
    }
}

/// A walk through a schema and the parts that it refers to.
struct SchemaWalk<'s> {
    root: &'s Value,
    left: usize,
    /// The references that are being followed.
    following: BTreeSet<&'s str>,
}

impl<'s> SchemaWalk<'s> {
    fn new(root: &'s Value) -> Self {
        Self { root, left: PARTS, following: BTreeSet::new() }
    }

    /// Whether validating with a part of a schema may take too long. `same_value`: the part applies to the value
    /// itself.
    fn is_too_much(&mut self, part: &'s Value, same_value: bool) -> bool {
        if self.left == 0 {
            return true;
        }
        self.left -= 1;
        match part {
            Value::Object(pairs) => {
                if let Some(reference) = pairs.get("$ref").and_then(Value::as_str)
                    && self.follow(reference, same_value)
                {
                    return true;
                }
                pairs.iter().any(|(key, part)| {
                    let inside = INSIDE.contains(&key.as_str());
                    // Definitions count where they are referred to.
                    !matches!(key.as_str(), "$defs" | "definitions") && self.is_too_much(part, same_value && !inside)
                })
            }
            Value::Array(parts) => parts.iter().any(|part| self.is_too_much(part, same_value)),
            _ => false,
        }
    }

    /// A recursive reference ends if it applies to a part of the value; otherwise it never ends.
    fn follow(&mut self, reference: &'s str, same_value: bool) -> bool {
        let Some(target) = reference.strip_prefix('#').and_then(|pointer| self.root.pointer(pointer)) else {
            return false;
        };
        if !self.following.insert(reference) {
            return same_value;
        }
        // Within the target, `same_value` starts over.
        let too_much = self.is_too_much(target, true);
        self.following.remove(reference);
        too_much
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_schema_violation_is_reported_with_its_location() {
        let schema =
            json!({ "type": "object", "properties": { "amount": { "type": "number" } }, "required": ["amount"] });
        assert_eq!(misfit(&schema, &json!({ "amount": 20, "more": 1 })), None);
        assert_eq!(
            misfit(&schema, &json!({ "amount": "20" })).unwrap(),
            "at `/amount`, \"20\" is not of type \"number\""
        );
        assert_eq!(misfit(&schema, &json!({})).unwrap(), "\"amount\" is a required property");
    }

    #[test]
    fn nullable_schemas_accept_null() {
        let part = |part: Value| {
            let mut schema =
                json!({ "type": "object", "properties": { "a": part }, "$defs": { "A": { "type": "string" } } });
            or_null(&mut schema);
            let fits = |value: Value| misfit(&schema, &json!({ "a": value })).is_none();
            [fits(Value::Null), fits(json!("x")), fits(json!(1))]
        };
        for nullable in [
            json!({ "type": "string", "nullable": true }),
            json!({ "type": ["string"], "nullable": true }),
            json!({ "type": "string", "enum": ["x", "y"], "nullable": true }),
            json!({ "$ref": "#/$defs/A", "nullable": true }),
            json!({ "allOf": [{ "$ref": "#/$defs/A" }], "nullable": true }),
            json!({ "anyOf": [{ "type": "string" }], "nullable": true }),
            json!({ "anyOf": [{ "type": "string", "nullable": true }] }),
            json!({ "const": "x", "nullable": true }),
        ] {
            assert_eq!(part(nullable.clone()), [true, true, false], "{nullable}");
        }
        for other in [json!({ "type": "string" }), json!({ "type": "string", "nullable": false })] {
            assert_eq!(part(other.clone()), [false, true, false], "{other}");
        }
        // A property may have that name.
        let mut named = json!({ "properties": { "nullable": { "type": "boolean" } } });
        or_null(&mut named);
        assert!(misfit(&named, &json!({ "nullable": null })).is_some());
    }

    #[test]
    fn follows_references_and_skips_endless_schemas() {
        let tree = json!({
            "$ref": "#/$defs/node",
            "$defs": { "node": { "type": "object", "properties": { "next": { "$ref": "#/$defs/node" }, "n": { "type": "integer" } } } },
        });
        assert_eq!(misfit(&tree, &json!({ "next": { "n": 1 } })), None);
        assert!(misfit(&tree, &json!({ "next": { "n": "x" } })).is_some());
        let same = json!({ "$ref": "#/$defs/a", "$defs": { "a": { "anyOf": [{ "$ref": "#/$defs/a" }, { "$ref": "#/$defs/a" }] } } });
        assert_eq!(misfit(&same, &json!(1)), None);
        let mut levels = serde_json::Map::new();
        for level in 0..31 {
            let next = json!({ "$ref": format!("#/$defs/l{}", level + 1) });
            levels.insert(format!("l{level}"), json!({ "anyOf": [next, next] }));
        }
        levels.insert("l31".into(), json!({ "type": "string" }));
        assert_eq!(misfit(&json!({ "$ref": "#/$defs/l0", "$defs": levels }), &json!(1)), None);
        assert_eq!(misfit(&json!({ "type": 5 }), &json!(1)), None);
        assert_eq!(misfit(&json!({ "$ref": "https://example.test/schema" }), &json!(1)), None);
    }
}
