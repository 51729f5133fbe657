//! Schemas of values other than mappings with declared keys.

use crate::shape::Kind;
use serde_json::{Map, Value, json};

/// Numbers with units, one or more.
const DURATION: &str = "((\\d+\\.?\\d*|\\.\\d+)(ns|us|µs|ms|s|m|h))+";
/// YAML 1.1's words for true and false, which are strings in YAML 1.2.
const TRUTH: &str = "^([Yy][Ee][Ss]|[Nn][Oo]|[Oo][Nn]|[Oo][Ff][Ff])$";
/// The words that mean false.
const UNTRUE: &str = "^([Nn][Oo]|[Oo][Ff][Ff])$";
const VARIABLE: &str = "\\$\\{";

/// The schema of a kind that contains no other. `templated` means that a string with a variable is allowed in place of
/// a word, a number or a duration.
pub(super) fn plain(kind: &Kind, templated: bool) -> Value {
    match kind {
        Kind::Count(_) | Kind::Whole(..) | Kind::Unbroken | Kind::Number | Kind::Range(..) | Kind::Positive
            if templated =>
        {
            json!({ "anyOf": [plain(kind, false), { "type": "string", "pattern": VARIABLE }] })
        }
        Kind::Text => json!({ "type": "string" }),
        Kind::Name => like("\\S", "It must not be blank."),
        Kind::Like(pattern) => like(pattern, ""),
        Kind::Address => like(
            "^[Hh][Tt][Tt][Pp][Ss]?://[^/\\s]\\S*$|\\$\\{",
            "Write a full URL, http://.. or https://.., or use a variable.",
        ),
        Kind::Word => json!({ "type": ["string", "number", "boolean"] }),
        Kind::Truth => json!({
            "type": ["boolean", "string"],
            "pattern": TRUTH,
            "patternErrorMessage": "Write true or false.",
        }),
        Kind::Count(least) => json!({ "type": "integer", "minimum": least, "maximum": u32::MAX }),
        Kind::Whole(least, most) => {
            bounded("integer", (*least != i64::MIN).then(|| json!(least)), (*most != i64::MAX).then(|| json!(most)))
        }
        Kind::Unbroken => json!({ "type": "integer" }),
        Kind::Number => json!({ "type": "number" }),
        Kind::Range(least, most) => bounded("number", finite(*least), finite(*most)),
        Kind::Positive => json!({ "type": "number", "exclusiveMinimum": 0 }),
        Kind::Spelt(most) => {
            let mut schema = bounded("number", Some(json!(0)), finite(*most));
            schema["type"] = json!(["number", "string"]);
            schema["patternErrorMessage"] = json!("Write a number.");
            schema["pattern"] = json!("^\\s*[+]?(\\d+\\.?\\d*|\\.\\d+)([eE][-+]?\\d+)?\\s*$");
            schema
        }
        Kind::SpeltCount => {
            json!({ "type": ["integer", "string"], "minimum": 0, "pattern": "^\\s*[+]?\\d+\\s*$" })
        }
        Kind::Duration => duration("", templated),
        Kind::SignedDuration => duration("-?", templated),
        Kind::Choice(words) if templated => {
            json!({ "anyOf": [{ "enum": words }, { "type": "string", "pattern": VARIABLE }] })
        }
        Kind::Choice(words) => json!({ "enum": words }),
        Kind::Version(words) => {
            let numbers = words.iter().filter_map(|word| word.parse::<f64>().ok()).map(Value::from);
            json!({ "enum": words.iter().map(|word| json!(word)).chain(numbers).collect::<Vec<_>>() })
        }
        Kind::False => json!({ "const": false }),
        Kind::Nothing => json!({ "type": "null" }),
        Kind::Asked => json!({ "enum": [null, true, "yes", "on"] }),
        Kind::Object => json!({ "type": "object" }),
        Kind::List(_)
        | Kind::Filled(_)
        | Kind::OneOrMore(_)
        | Kind::Map(_)
        | Kind::FilledMap(_)
        | Kind::Shape(_)
        | Kind::Tagged(_)
        | Kind::Having(..)
        | Kind::Either(_)
        | Kind::Data
        | Kind::Check
        | Kind::Arguments(_) => json!({}),
    }
}

fn finite(number: f64) -> Option<Value> {
    number.is_finite().then(|| json!(number))
}

fn bounded(kind: &str, least: Option<Value>, most: Option<Value>) -> Value {
    let mut schema = Map::new();
    schema.insert("type".into(), kind.into());
    schema.extend(least.map(|least| ("minimum".to_owned(), least)));
    schema.extend(most.map(|most| ("maximum".to_owned(), most)));
    Value::Object(schema)
}

/// A string that matches a pattern, with a help text for editors that support one.
fn like(pattern: &str, remedy: &str) -> Value {
    let mut schema = json!({ "type": "string", "pattern": pattern });
    if !remedy.is_empty() {
        schema["patternErrorMessage"] = json!(remedy);
    }
    schema
}

/// A number with a unit; zero needs none.
fn duration(sign: &str, templated: bool) -> Value {
    let variable = if templated { "|\\$\\{" } else { "" };
    let pattern = format!("^{sign}(0|{DURATION})${variable}");
    json!({ "anyOf": [like(&pattern, "Write a number and a unit: 300ms, 20s, 1m30s."), { "const": 0 }] })
}

/// A list of such values.
pub(super) fn list(items: &Value, filled: bool) -> Value {
    let mut schema = json!({ "type": "array", "items": items });
    if filled {
        schema["minItems"] = json!(1);
    }
    schema
}

/// A value or a list of such values.
pub(super) fn one_or_more(item: Value) -> Value {
    match item.get("type").and_then(Value::as_str) {
        // Keywords for strings do not apply to lists, and vice versa.
        Some(own) if item.get("enum").is_none() => {
            let mut schema = item.clone();
            schema["type"] = json!([own, "array"]);
            schema["items"] = item;
            schema
        }
        _ => json!({ "anyOf": [item.clone(), list(&item, false)] }),
    }
}

/// The same schema, which also accepts null.
pub(super) fn or_nothing(mut schema: Value) -> Value {
    if schema == json!({}) {
        return schema;
    }
    let Some(map) = schema.as_object_mut() else { return schema };
    if let Some(Value::Array(choices)) = map.get_mut("enum") {
        if !choices.contains(&Value::Null) {
            choices.push(Value::Null);
        }
        return schema;
    }
    if let Some(Value::Array(alternatives)) = map.get_mut("anyOf") {
        alternatives.push(json!({ "type": "null" }));
        return schema;
    }
    match map.get_mut("type") {
        Some(Value::String(own)) if own == "null" => schema,
        Some(Value::String(own)) => {
            schema["type"] = json!([own.as_str(), "null"]);
            schema
        }
        Some(Value::Array(own)) => {
            own.push("null".into());
            schema
        }
        _ => json!({ "anyOf": [schema, { "type": "null" }] }),
    }
}

/// A value that counts as absent: null, or for a boolean also false.
pub(super) fn absent(kind: &Kind) -> Value {
    if matches!(kind, Kind::Truth) {
        return json!({ "anyOf": [{ "enum": [null, false] }, { "type": "string", "pattern": UNTRUE }] });
    }
    json!({ "type": "null" })
}
