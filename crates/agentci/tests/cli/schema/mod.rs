//! JSON Schemas of suite files: they are valid themselves, accept every valid file, and reject what the readers reject.

mod command;
mod documents;
mod examples;
mod wrong;

use std::collections::BTreeMap;

use agentci::{checks, formats};
use jsonschema::Validator;
use serde_json::Value;

/// Every schema by its name.
fn all() -> BTreeMap<&'static str, Value> {
    let checks: Vec<_> = checks::shapes().collect();
    formats::schemas().iter().map(|file| (file.name, file.schema(&checks))).collect()
}

/// The same, ready to validate.
fn validators() -> BTreeMap<&'static str, Validator> {
    all().into_iter().map(|(name, schema)| (name, jsonschema::draft7::new(&schema).unwrap())).collect()
}

#[test]
fn every_schema_is_valid() {
    for (name, schema) in all() {
        jsonschema::draft7::meta::validate(&schema).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(schema["$schema"], "http://json-schema.org/draft-07/schema#", "{name}");
    }
}

#[test]
fn every_key_has_a_description() {
    fn walk(value: &Value, place: &str) {
        if let Some(properties) = value.get("properties").and_then(Value::as_object) {
            // The keys in conditions are described elsewhere.
            if value.get("description").is_some() {
                for (key, property) in properties {
                    let described = property.get("description").and_then(Value::as_str).unwrap_or_default();
                    let referred = property.get("$ref").is_some();
                    assert!(referred || described.ends_with('.'), "{place}: `{key}` is not described");
                }
            }
        }
        match value {
            Value::Object(map) => map.iter().for_each(|(key, value)| walk(value, &format!("{place}/{key}"))),
            Value::Array(items) => items.iter().for_each(|value| walk(value, place)),
            _ => {}
        }
    }
    for (name, schema) in all() {
        walk(&schema, name);
    }
}

#[test]
fn every_mapping_is_documented_in_the_tables() {
    let checks: Vec<_> = checks::shapes().collect();
    for file in formats::schemas() {
        let tables = file.tables(&checks);
        let schema = file.schema(&checks);
        let described =
            |about: &str| schema["definitions"].as_object().unwrap().values().any(|it| it["description"] == about);
        assert!(!tables.is_empty(), "{}", file.name);
        for table in tables {
            assert!(described(table.about), "{}: {}", file.name, table.what);
            assert!(table.rows.iter().all(|row| !row.kind.is_empty() && row.about.ends_with('.')), "{}", table.what);
        }
    }
}
