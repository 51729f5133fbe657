//! Writes rules about several keys as parts of a schema.

use crate::shape::{KeyRule, Kind, Shape, UnknownKeys};
use serde_json::{Map, Value, json};

use super::values;

/// Adds the rules of a shape to its schema.
pub(super) fn add(shape: &Shape, schema: &mut Map<String, Value>) {
    let mut all = Vec::new();
    for rule in shape.rules {
        match rule {
            KeyRule::OneKey => {
                schema.insert("minProperties".into(), json!(1));
                schema.insert("maxProperties".into(), json!(1));
            }
            KeyRule::NotBoth(keys) => all.extend(
                pairs(keys)
                    .map(|(one, other)| json!({ "not": { "allOf": [present(shape, one), present(shape, other)] } })),
            ),
            KeyRule::One(_) | KeyRule::OneWritten(_) | KeyRule::Some(_) | KeyRule::Needs(..) | KeyRule::When { .. } => {
                all.push(one(shape, rule));
            }
        }
    }
    if !all.is_empty() {
        schema.insert("allOf".into(), Value::Array(all));
    }
}

fn one(shape: &Shape, rule: &KeyRule) -> Value {
    let written = |key: &str| json!({ "required": [key] });
    match rule {
        KeyRule::One(keys) => {
            let mut ways: Vec<Value> = keys.iter().map(|key| present(shape, key)).collect();
            if let UnknownKeys::Matching { pattern, .. } = shape.unknown {
                ways.push(json!({ "not": { "propertyNames": { "not": { "pattern": pattern } } } }));
            }
            json!({ "oneOf": ways })
        }
        KeyRule::OneWritten([key]) => written(key),
        KeyRule::OneWritten(keys) => json!({ "oneOf": keys.iter().map(|key| written(key)).collect::<Vec<_>>() }),
        KeyRule::Some([key]) => present(shape, key),
        KeyRule::Some(keys) => json!({ "anyOf": keys.iter().map(|key| present(shape, key)).collect::<Vec<_>>() }),
        KeyRule::Needs(key, needed) => json!({ "if": written(key), "then": has(shape, needed) }),
        KeyRule::When { key, is, needs, excludes } => {
            let mut then: Vec<Value> = needs.iter().map(|key| present(shape, key)).collect();
            let none: Map<String, Value> = excludes.iter().map(|key| ((*key).to_owned(), json!(false))).collect();
            then.push(json!({ "properties": none }));
            json!({ "if": { "properties": { *key: { "enum": is } }, "required": [key] }, "then": { "allOf": then } })
        }
        KeyRule::NotBoth(_) | KeyRule::OneKey => json!({}),
    }
}

/// A mapping that has a key, with a value unless the key may be empty.
pub(super) fn has(shape: &Shape, key: &str) -> Value {
    let allowed = shape.fields().any(|field| field.key == key && field.kind.allows_nothing());
    if allowed { json!({ "required": [key] }) } else { present(shape, key) }
}

/// A mapping in which a key has a value.
fn present(shape: &Shape, key: &str) -> Value {
    let kind = shape.fields().find(|field| field.key == key).map_or(Kind::Data, |field| field.kind);
    json!({ "required": [key], "properties": { key: { "not": values::absent(&kind) } } })
}

fn pairs<'k>(keys: &'k [&'static str]) -> impl Iterator<Item = (&'static str, &'static str)> + 'k {
    keys.iter().enumerate().flat_map(|(index, one)| keys.iter().skip(index + 1).map(|other| (*one, *other)))
}
