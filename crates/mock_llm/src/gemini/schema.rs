//! Converts Google's schemas to JSON Schema: types are upper-case, and counts are strings, as 64-bit integers are in
//! its JSON.

use serde_json::Value;

/// The keys of counts.
const COUNTS: [&str; 6] = ["minItems", "maxItems", "minLength", "maxLength", "minProperties", "maxProperties"];

/// Converts a schema in place. JSON Schema stays unchanged.
pub(in super::super) fn as_json_schema(schema: &mut Value) {
    let Value::Object(pairs) = schema else { return };
    match pairs.get_mut("type") {
        Some(Value::String(kind)) if kind == "TYPE_UNSPECIFIED" => {
            pairs.remove("type");
        }
        Some(Value::String(kind)) => *kind = kind.to_ascii_lowercase(),
        _ => {}
    }
    for name in COUNTS {
        if let Some(count) = pairs.get_mut(name)
            && let Some(number) = count.as_str().and_then(|text| text.parse::<u64>().ok())
        {
            *count = number.into();
        }
    }
    for (key, part) in pairs.iter_mut() {
        match (key.as_str(), part) {
            ("properties" | "$defs" | "defs", Value::Object(parts)) => parts.values_mut().for_each(as_json_schema),
            ("anyOf" | "any_of" | "prefixItems", Value::Array(parts)) => parts.iter_mut().for_each(as_json_schema),
            ("items" | "additionalProperties", part) => as_json_schema(part),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn gemini_types_and_counts_convert_to_json_schema() {
        let mut schema = json!({
            "type": "OBJECT",
            "properties": {
                "type": { "type": "ARRAY", "items": { "type": "STRING", "enum": ["OBJECT"] }, "minItems": "2" },
                "any": { "type": "TYPE_UNSPECIFIED", "anyOf": [{ "type": "INTEGER" }, { "type": "null" }] },
            },
        });
        as_json_schema(&mut schema);
        let expected = json!({
            "type": "object",
            "properties": {
                "type": { "type": "array", "items": { "type": "string", "enum": ["OBJECT"] }, "minItems": 2 },
                "any": { "anyOf": [{ "type": "integer" }, { "type": "null" }] },
            },
        });
        assert_eq!(schema, expected);
    }
}
