//! Building blocks of JSON Schemas: objects, lists and simple values.

use serde_json::{Map, Value, json};

/// An object with these fields and no others.
pub(crate) fn object(properties: Map<String, Value>, required: &[String]) -> Value {
    let mut object = json!({ "type": "object" });
    object["properties"] = properties.into();
    object["required"] = required.into();
    object["additionalProperties"] = false.into();
    object
}

/// An object with these fields; those whose names end in `?` may be absent.
pub(crate) fn fields(of: Value) -> Value {
    let Value::Object(of) = of else { panic!("fields are a mapping") };
    let (mut properties, mut required) = (Map::new(), Vec::new());
    for (name, schema) in of {
        if let Some(name) = name.strip_suffix('?') {
            properties.insert(name.to_owned(), schema);
        } else {
            required.push(name.clone());
            properties.insert(name, schema);
        }
    }
    object(properties, &required)
}

pub(crate) fn one_of(words: &[&str]) -> Value {
    json!({ "enum": words })
}

pub(crate) fn list(of: Value) -> Value {
    Map::from_iter([("type".to_owned(), "array".into()), ("items".to_owned(), of)]).into()
}

pub(crate) fn or_null(of: Value) -> Value {
    Map::from_iter([("anyOf".to_owned(), vec![of, json!({ "type": "null" })].into())]).into()
}

pub(crate) fn text() -> Value {
    json!({ "type": "string" })
}

pub(crate) fn count() -> Value {
    json!({ "type": "integer", "minimum": 0 })
}

pub(crate) fn number() -> Value {
    json!({ "type": "number" })
}

pub(crate) fn truth() -> Value {
    json!({ "type": "boolean" })
}

pub(crate) fn counts_by_name() -> Value {
    json!({ "type": "object", "additionalProperties": count() })
}
