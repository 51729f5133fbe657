//! Rules for strict schemas.

use crate::fields::items;
use serde_json::Value;

/// The maximum depth to check.
const DEEPEST: usize = 64;

/// A violation in a strict schema.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct StrictSchemaError {
    /// The keys that lead to the invalid part.
    context: Vec<String>,
    pub(super) rule: StrictRule,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum StrictRule {
    /// `additionalProperties` is not false. OpenAI: lastmile-ai/openai-agents-mcp#2,
    /// xemantic/xemantic-ai-tool-schema#37; Anthropic: vercel/ai#20681.
    Open,
    /// A property is missing from `required`. OpenAI only: kevinwatt/mysql-mcp#5 and anomalyco/opencode#13737.
    Optional(String),
    /// An array without `items`, strict or not. OpenAI only: sigoden/aichat#1049 and modelscope/ms-agent#610 for Chat
    /// Completions, flanksource/mission-control#2634 for Responses.
    NoItems,
}

impl StrictSchemaError {
    /// OpenAI's wording, after the name of the schema.
    pub(super) fn openai(&self) -> String {
        let context = match self.context.as_slice() {
            [one] => format!("('{one}',)"),
            keys => format!("({})", keys.iter().map(|key| format!("'{key}'")).collect::<Vec<_>>().join(", ")),
        };
        match &self.rule {
            StrictRule::Open => {
                format!("In context={context}, 'additionalProperties' is required to be supplied and to be false.")
            }
            StrictRule::Optional(name) => format!(
                "In context={context}, 'required' is required to be supplied and to be an array including every key in \
                 properties. Missing '{name}'."
            ),
            StrictRule::NoItems => format!("In context={context}, array schema missing items."),
        }
    }
}

/// The first violation in a schema. `all_required`: every property must be required, as for OpenAI.
pub(super) fn broken(schema: &Value, all_required: bool) -> Option<StrictSchemaError> {
    look(schema, &|part| strictly(part, all_required), &mut Vec::new())
}

/// The first array in a schema without `items`.
pub(super) fn list_of_nothing(schema: &Value) -> Option<StrictSchemaError> {
    let is_list = |part: &Value| part["type"].as_str() == Some("array");
    let says = |part: &Value| ["items", "prefixItems"].iter().any(|key| part.get(key).is_some());
    look(schema, &|part| (is_list(part) && !says(part)).then_some(StrictRule::NoItems), &mut Vec::new())
}

/// The rule of strict schemas that a part violates by itself.
fn strictly(schema: &Value, all_required: bool) -> Option<StrictRule> {
    if !is_object(schema) {
        return None;
    }
    if schema["additionalProperties"].as_bool() != Some(false) {
        return Some(StrictRule::Open);
    }
    let required = items(schema.get("required"));
    let lacks = |name: &str| !required.iter().any(|known| known.as_str() == Some(name));
    let lacking = names(schema.get("properties")).find(|name| all_required && lacks(name));
    lacking.map(|name| StrictRule::Optional(name.to_owned()))
}

fn look(
    schema: &Value,
    rule: &dyn Fn(&Value) -> Option<StrictRule>,
    context: &mut Vec<String>,
) -> Option<StrictSchemaError> {
    if context.len() > DEEPEST {
        return None;
    }
    if let Some(rule) = rule(schema) {
        return Some(StrictSchemaError { context: context.clone(), rule });
    }
    for (key, part) in parts(schema) {
        let depth = context.len();
        context.extend(key);
        let broken = look(part, rule, context);
        context.truncate(depth);
        if broken.is_some() {
            return broken;
        }
    }
    None
}

fn is_object(schema: &Value) -> bool {
    match schema.get("type") {
        Some(Value::String(kind)) => kind == "object",
        Some(Value::Array(kinds)) => kinds.iter().any(|kind| kind.as_str() == Some("object")),
        _ => false,
    }
}

fn names(properties: Option<&Value>) -> impl Iterator<Item = &str> {
    properties.and_then(Value::as_object).into_iter().flat_map(|pairs| pairs.keys().map(String::as_str))
}

/// The schemas inside a schema, each with the keys that lead to it.
fn parts(schema: &Value) -> Vec<(Vec<String>, &Value)> {
    let mut parts = Vec::new();
    for key in ["properties", "$defs", "definitions"] {
        if let Some(Value::Object(pairs)) = schema.get(key) {
            parts.extend(pairs.iter().map(|(name, part)| (vec![key.to_owned(), name.clone()], part)));
        }
    }
    if let Some(items) = schema.get("items") {
        parts.push((vec!["items".to_owned()], items));
    }
    if let Some(Value::Array(choices)) = schema.get("anyOf") {
        parts.extend(choices.iter().enumerate().map(|(at, part)| (vec!["anyOf".to_owned(), at.to_string()], part)));
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn openai(schema: &str) -> Option<String> {
        broken(&serde_json::from_slice::<Value>(schema.as_bytes()).unwrap(), true).map(|broken| broken.openai())
    }

    #[test]
    fn accepts_closed_schemas() {
        for schema in [
            r#"{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":false}"#,
            r#"{"type":"object","additionalProperties":false}"#,
            r##"{"type":"object","properties":{"a":{"anyOf":[{"type":"null"},{"$ref":"#/$defs/A"}]}},"required":["a"],"additionalProperties":false,"$defs":{"A":{"type":"object","properties":{},"required":[],"additionalProperties":false}}}"##,
            r#"{"type":"string"}"#,
        ] {
            assert_eq!(openai(schema), None, "{schema}");
        }
    }

    #[test]
    fn refuses_array_schema_without_items() {
        let list = |schema: &str| {
            list_of_nothing(&serde_json::from_slice::<Value>(schema.as_bytes()).unwrap()).map(|broken| broken.openai())
        };
        let of = |paths: &str| format!(r#"{{"type":"object","properties":{{"paths":{paths}}}}}"#);
        // Pydantic's `list` and `tuple` have it; a part that may be other types as well is not checked.
        for fine in
            [r#"{"type":"array","items":{}}"#, r#"{"type":"array","prefixItems":[]}"#, r#"{"type":["array","null"]}"#]
        {
            assert_eq!(list(&of(fine)), None, "{fine}");
        }
        let refused = list(&of(r#"{"anyOf":[{"type":"null"},{"type":"array"}]}"#)).unwrap();
        assert_eq!(refused, "In context=('properties', 'paths', 'anyOf', '1'), array schema missing items.");
    }

    #[test]
    fn skips_schemas_beyond_the_depth_limit() {
        let deep = |levels: usize| {
            let (before, after) = (r#"{"items":"#.repeat(levels), "}".repeat(levels));
            openai(&format!(r#"{before}{{"type":"object"}}{after}"#)).is_some()
        };
        assert!(deep(DEEPEST) && !deep(DEEPEST + 1));
    }

    #[test]
    fn reports_first_open_or_optional_property_with_its_location() {
        assert_eq!(
            openai(r#"{"type":"object","properties":{}}"#).unwrap(),
            "In context=(), 'additionalProperties' is required to be supplied and to be false."
        );
        let nested = r#"{"type":"object","properties":{"f":{"type":["object","null"]}},"required":["f"],"additionalProperties":false}"#;
        assert!(openai(nested).unwrap().starts_with("In context=('properties', 'f'), 'additionalProperties'"));
        let items = r#"{"type":"array","items":{"type":"object","properties":{"a":{},"b":{}},"required":["a"],"additionalProperties":false}}"#;
        assert_eq!(
            openai(items).unwrap(),
            "In context=('items',), 'required' is required to be supplied and to be an array including every key in \
             properties. Missing 'b'."
        );
        assert_eq!(broken(&serde_json::from_slice::<Value>(items.as_bytes()).unwrap(), false), None);
    }
}
