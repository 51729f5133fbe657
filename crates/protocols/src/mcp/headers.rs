//! Headers of a modern HTTP request that repeat parts of its message, so that proxies can route by them.

use std::collections::HashMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value};

/// The annotation of a parameter in a tool's schema that is repeated as a header.
const ANNOTATION: &str = "x-mcp-header";
/// The keywords that contain one schema, a list of schemas, and schemas by name. A parameter below one of them has no
/// fixed location in the arguments.
const ONE: [&str; 11] = [
    "items",
    "contains",
    "unevaluatedItems",
    "additionalProperties",
    "propertyNames",
    "unevaluatedProperties",
    "not",
    "if",
    "then",
    "else",
    "contentSchema",
];
const SEVERAL: [&str; 4] = ["allOf", "anyOf", "oneOf", "prefixItems"];
const NAMED: [&str; 4] = ["patternProperties", "dependentSchemas", "$defs", "definitions"];

/// The header with the name of the tool or the URI of the resource.
pub fn of_call(params: &Map<String, Value>) -> Option<(String, String)> {
    let name = params.get("name").or_else(|| params.get("uri"))?.as_str()?;
    Some(("mcp-name".into(), encode(name)))
}

/// The parameters of each tool that are repeated as headers.
#[derive(Debug, Default)]
pub struct HeaderParameters(HashMap<String, Vec<Parameter>>);

#[derive(Debug, PartialEq, Eq)]
struct Parameter {
    header: String,
    path: Vec<String>,
}

impl HeaderParameters {
    /// The headers for a call.
    pub fn headers(&self, params: &Map<String, Value>) -> Vec<(String, String)> {
        let name = params.get("name").and_then(Value::as_str).unwrap_or_default();
        let parameters = self.0.get(name).into_iter().flatten();
        let header = |parameter: &Parameter| {
            let found = parameter.path.iter().try_fold(params.get("arguments")?, |value, key| value.get(key))?;
            let text = match found {
                Value::String(text) => text.clone(),
                Value::Number(number) => number.to_string(),
                Value::Bool(flag) => flag.to_string(),
                _ => return None,
            };
            Some((format!("mcp-param-{}", parameter.header), encode(&text)))
        };
        parameters.filter_map(header).collect()
    }
}

/// Finds the parameters to be repeated. Tools with invalid annotations are left out, as the protocol requires;
/// `invalid` receives the name and the reason.
pub fn mirror(mut tools: Vec<Value>, mut invalid: impl FnMut(&str, String)) -> (Vec<Value>, HeaderParameters) {
    let mut mirrored = HeaderParameters::default();
    tools.retain(|tool| {
        let name = tool["name"].as_str().unwrap_or_default();
        let mut found = Vec::new();
        match walk(&tool["inputSchema"], Some(&[]), &mut found) {
            Ok(()) => {
                mirrored.0.insert(name.to_owned(), found);
                true
            }
            Err(reason) => {
                invalid(name, reason);
                false
            }
        }
    });
    (tools, mirrored)
}

/// Searches a schema; `path` is `None` where a parameter has no fixed location.
fn walk(schema: &Value, path: Option<&[String]>, found: &mut Vec<Parameter>) -> Result<(), String> {
    let Value::Object(object) = schema else { return Ok(()) };
    if let Some(header) = object.get(ANNOTATION) {
        found.push(parameter(header, &object["type"], path, found)?);
    }
    for (key, value) in object {
        if key == "properties" {
            for (name, property) in value.as_object().into_iter().flatten() {
                let path = path.map(|path| [path, std::slice::from_ref(name)].concat());
                walk(property, path.as_deref(), found)?;
            }
        } else if ONE.contains(&key.as_str()) {
            walk(value, None, found)?;
        } else if SEVERAL.contains(&key.as_str()) {
            value.as_array().into_iter().flatten().try_for_each(|schema| walk(schema, None, found))?;
        } else if NAMED.contains(&key.as_str()) {
            value.as_object().into_iter().flatten().try_for_each(|(_, schema)| walk(schema, None, found))?;
        }
    }
    Ok(())
}

fn parameter(header: &Value, kind: &Value, path: Option<&[String]>, others: &[Parameter]) -> Result<Parameter, String> {
    let header = header.as_str().unwrap_or_default();
    if header.is_empty() || !header.bytes().all(is_token) {
        return Err(format!("`{ANNOTATION}: {header}` cannot be part of a header name"));
    }
    if !matches!(kind.as_str(), Some("string" | "integer" | "boolean")) {
        return Err(format!("`{ANNOTATION}: {header}` is on a parameter that is not a string, integer or boolean"));
    }
    let Some(path) = path.filter(|path| !path.is_empty()) else {
        return Err(format!("`{ANNOTATION}: {header}` is on a schema that does not describe a single parameter"));
    };
    if others.iter().any(|other| other.header.eq_ignore_ascii_case(header)) {
        return Err(format!("`{ANNOTATION}: {header}` is on two parameters"));
    }
    Ok(Parameter { header: header.to_owned(), path: path.to_vec() })
}

fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}

/// Encodes a header value: text that is not allowed in headers becomes marked Base64.
fn encode(text: &str) -> String {
    let plain = text.bytes().all(|byte| matches!(byte, b'\t' | 0x20..=0x7e)) && text.trim() == text;
    let looks_encoded = text.starts_with("=?base64?") && text.ends_with("?=");
    if plain && !looks_encoded { text.to_owned() } else { format!("=?base64?{}?=", STANDARD.encode(text)) }
}

/// Decodes a header value; `None` if it is marked as Base64 and is not.
pub fn decode(value: &str) -> Option<String> {
    let value = value.trim();
    let Some(encoded) = value.strip_prefix("=?base64?").and_then(|rest| rest.strip_suffix("?=")) else {
        return Some(value.to_owned());
    };
    String::from_utf8(STANDARD.decode(encoded).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn encodes_values_not_allowed_in_headers() {
        for (text, header) in [
            ("us-west1", "us-west1"),
            ("Hello, 世界", "=?base64?SGVsbG8sIOS4lueVjA==?="),
            (" padded ", "=?base64?IHBhZGRlZCA=?="),
            ("line1\nline2", "=?base64?bGluZTEKbGluZTI=?="),
            ("=?base64?literal?=", "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?="),
        ] {
            assert_eq!(encode(text), header);
            assert_eq!(decode(header).as_deref(), Some(text));
        }
    }

    #[test]
    fn annotated_parameters_become_headers() {
        let tool = json!({ "name": "run", "inputSchema": { "type": "object", "properties": {
            "region": { "type": "string", "x-mcp-header": "Region" },
            "nested": { "type": "object", "properties": { "count": { "type": "integer", "x-mcp-header": "Count" } } },
            "dry": { "type": "boolean", "x-mcp-header": "Dry" },
            "query": { "type": "string", "default": { "x-mcp-header": "Not" } },
        } } });
        let (tools, mirrored) = mirror(vec![tool], |name, reason| panic!("{name}: {reason}"));
        assert_eq!(tools.len(), 1);
        let params = json!({ "name": "run", "arguments": { "region": "eu", "nested": { "count": 42 }, "dry": null } });
        assert_eq!(
            mirrored.headers(params.as_object().unwrap()),
            [("mcp-param-Region".into(), "eu".into()), ("mcp-param-Count".into(), "42".into())]
        );
    }

    #[test]
    fn tool_with_invalid_header_annotation_is_skipped() {
        let number = json!({ "properties": { "a": { "type": "number", "x-mcp-header": "A" } } });
        let spaced = json!({ "properties": { "a": { "type": "string", "x-mcp-header": "A B" } } });
        let empty = json!({ "properties": { "a": { "type": "string", "x-mcp-header": "" } } });
        let in_list =
            json!({ "properties": { "a": { "type": "array", "items": { "type": "string", "x-mcp-header": "A" } } } });
        let twice = json!({ "properties": {
            "a": { "type": "string", "x-mcp-header": "A" }, "b": { "type": "string", "x-mcp-header": "a" } } });
        let chosen = json!({ "anyOf": [{ "properties": { "a": { "type": "string", "x-mcp-header": "A" } } }] });
        for schema in [number, spaced, empty, in_list, twice, chosen] {
            let mut invalid = Vec::new();
            let tools =
                vec![json!({ "name": "bad", "inputSchema": schema }), json!({ "name": "good", "inputSchema": {} })];
            let (tools, _) = mirror(tools, |name, _| invalid.push(name.to_owned()));
            assert_eq!(tools, [json!({ "name": "good", "inputSchema": {} })], "{schema}");
            assert_eq!(invalid, ["bad"]);
        }
    }
}
