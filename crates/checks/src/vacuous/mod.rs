//! Finds checks that cannot fail, for `agentci check`: they pass whatever the agent does, so a passed case means less
//! than it seems.
//!
//! A scripted model behind an agent follows its script. A text that only comes from the script shows that the model was
//! called, but not what the agent did. If the model is the agent (`chat`) or the script is what is tested (`mock`),
//! that is the point of the suite, and nothing is reported. The same holds for `seen: requested`, which looks at
//! requests on purpose.

mod every_text;
mod script_words;

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

use agentci_plan::{Case, ChatApi, Check, ModelScript, Suite, Target, Text, Verdicts};
use agentci_source::{Diagnostic, Diagnostics, Files, Node, Reading, Span, Spanned, join};
use serde_json::Value;

pub(crate) use every_text::matches_all;

use crate::json_schema::SCHEMA_LIMIT;
use crate::model_called::may_go_unasked;
use crate::{ineffective, unreachable};

/// Keywords of a JSON Schema that require nothing.
const SILENT: [&str; 12] = [
    "$schema",
    "$id",
    "$comment",
    "$defs",
    "definitions",
    "title",
    "description",
    "default",
    "examples",
    "deprecated",
    "readOnly",
    "writeOnly",
];

/// The types of JSON; an integer is a number.
const TYPES: [&str; 6] = ["null", "boolean", "object", "array", "number", "string"];

/// Warnings about checks that cannot fail and settings that have no effect, each reported once however many cases share
/// it.
pub fn cannot_fail<'s>(suites: impl IntoIterator<Item = &'s Suite>, files: &dyn Files) -> Diagnostics {
    let mut problems = Diagnostics::default();
    let mut told: HashSet<Span> = HashSet::new();
    let mut scripts: Vec<&Arc<ModelScript>> = Vec::new();
    for suite in suites {
        let strict = suite.habits.verdicts == Verdicts::Strict;
        for case in suite.cases.iter().filter(|case| case.broken.is_none()) {
            let mut found = Vec::new();
            for check in checks(case) {
                found.extend(passes_always(check, case, &suite.folder, files));
                found.extend(ineffective::settings(check));
                found.extend(forbids_nothing(check).filter(|_| strict));
            }
            found.extend(case.world.refusals.iter().filter_map(every_result));
            found.extend(silent_model(case));
            for script in scripts_of(case) {
                if !scripts.iter().any(|known| Arc::ptr_eq(known, script)) {
                    scripts.push(script);
                    found.extend(script.warnings.iter().cloned());
                    found.extend(unreachable::rules(script));
                }
            }
            found.into_iter().filter(|found| told.insert(found.span)).for_each(|found| problems.push(found));
        }
    }
    problems
}

fn checks(case: &Case) -> impl Iterator<Item = &Check> {
    case.checks.iter().chain(case.turns.iter().flat_map(|turn| turn.checks.iter())).map(|check| &**check)
}

fn passes_always(check: &Check, case: &Case, folder: &Path, files: &dyn Files) -> Option<Diagnostic> {
    match check.kind.value.as_str() {
        _ if check.negate => None,
        "matches" if check.templated => every_text_by_default(check, case),
        _ if check.templated => None,
        "json_schema" => any_value(check, folder, files),
        "matches" => every_text(check).or_else(|| script_words::repeated(check, case)),
        "contains" | "equals" => script_words::repeated(check, case),
        _ => None,
    }
}

/// Warns about a negated check with an empty list. Other formats inherit and override such lists; in a native suite it
/// is a mistake.
fn forbids_nothing(check: &Check) -> Option<Diagnostic> {
    let arguments = &check.arguments;
    let list = match check.kind.value.as_str() {
        _ if !check.negate => None,
        // Here an empty list is the value to search for.
        "contains" if arguments.get("of").and_then(Node::as_text).as_deref() == Some("output") => None,
        "contains" => arguments.get("text").or(Some(arguments)),
        "matches" => arguments.get("pattern").or(Some(arguments)),
        "tool_called" => arguments.get("any").or(Some(arguments)),
        "tool_evidence" => Some(arguments),
        _ => None,
    };
    let list = list.filter(|list| list.items().is_some_and(<[Node]>::is_empty))?;
    let message = format!("`{}` forbids nothing: the list is empty", check.name());
    Some(warning(list.span, message, "list what is forbidden, or remove the check"))
}

/// The scripts of a case: that of the model behind its agent, and that of the model that is its agent.
fn scripts_of(case: &Case) -> impl Iterator<Item = &Arc<ModelScript>> {
    let chat = if let Target::Chat(chat) = &*case.target { Some(chat) } else { None };
    let own = chat.and_then(|chat| match &chat.connector.api {
        ChatApi::Scripted(script) => Some(script),
        ChatApi::OpenAi | ChatApi::Anthropic => None,
    });
    case.world.model.as_ref().map(|model| &model.script).into_iter().chain(own)
}

/// Warns about a pattern that makes every tool result a refusal.
fn every_result(pattern: &Spanned<String>) -> Option<Diagnostic> {
    let message = format!("every tool result counts as a refusal: `{}` matches any text", pattern.value);
    let warning = Diagnostic::warning(pattern.span, message).label("matches every result");
    matches_all(&pattern.value).then(|| warning.help("write a pattern that matches only refusals"))
}

/// Warns about a model that answers no request, unless the agent need not call it.
fn silent_model(case: &Case) -> Option<Diagnostic> {
    let model = case.world.model.as_ref()?;
    let silent = model.script.rules.is_empty() && model.script.default.is_empty();
    (silent && !may_go_unasked(case)).then(|| {
        let help =
            "add a rule or `default` to the script; if the agent must not call its model, write `not: model_called`";
        Diagnostic::warning(model.span, "this model answers no request: its script has neither rules nor `default`")
            .label("every request is a miss")
            .help(help)
    })
}

fn warning(span: Span, message: String, help: &str) -> Diagnostic {
    Diagnostic::warning(span, message).label("cannot fail").help(help)
}

/// Warns about a schema that accepts every value.
fn any_value(check: &Check, folder: &Path, files: &dyn Files) -> Option<Diagnostic> {
    let arguments = &check.arguments;
    // With `of: text`, the answer must still be JSON.
    if arguments.get("of").and_then(Node::as_text).as_deref() == Some("text") {
        return None;
    }
    let (_, span) = schema_of(check, folder, files).filter(|(schema, _)| accepts_all(schema))?;
    let message = format!("`{}` accepts every output: the schema requires nothing", check.name());
    let help = "constrain the output with `type`, `required` or `properties`, or remove the check";
    Some(warning(span, message, help))
}

/// The schema of a `json_schema` check, and the place where it is written or named.
pub(crate) fn schema_of(check: &Check, folder: &Path, files: &dyn Files) -> Option<(Value, Span)> {
    let arguments = &check.arguments;
    if let Some(node) = arguments.get("schema") {
        return Some((node.value(Reading::Core).ok()?, node.span));
    }
    let path = arguments.get("path").unwrap_or(arguments);
    let found = files.read_text(&join(folder, &path.as_text()?), SCHEMA_LIMIT).ok()?;
    Some((serde_json::from_str(&found).ok()?, path.span))
}

/// Whether a schema accepts every value, judged by its own keywords; references are not followed.
fn accepts_all(schema: &Value) -> bool {
    match schema {
        Value::Bool(all) => *all,
        Value::Object(map) => map.iter().all(|(key, value)| is_silent(key, value)),
        _ => false,
    }
}

/// Whether a keyword of a schema requires nothing.
fn is_silent(key: &str, value: &Value) -> bool {
    let list = |test: &dyn Fn(&[Value]) -> bool| value.as_array().is_some_and(|items| test(items));
    match key {
        _ if SILENT.contains(&key) => true,
        "type" => list(&|types| TYPES.iter().all(|name| types.iter().any(|given| given == name))),
        "properties" | "patternProperties" | "dependentSchemas" => {
            value.as_object().is_some_and(|map| map.values().all(accepts_all))
        }
        "items" if value.is_array() => list(&|items| items.iter().all(accepts_all)),
        "items"
        | "additionalItems"
        | "unevaluatedItems"
        | "additionalProperties"
        | "unevaluatedProperties"
        | "propertyNames"
        | "then"
        | "else" => accepts_all(value),
        "allOf" | "prefixItems" => list(&|items| items.iter().all(accepts_all)),
        "anyOf" => list(&|items| items.iter().any(accepts_all)),
        "oneOf" => list(&|items| matches!(items, [only] if accepts_all(only))),
        "not" | "uniqueItems" => *value == Value::Bool(false),
        "if" => true,
        "required" => list(&<[Value]>::is_empty),
        "minLength" | "minItems" | "minProperties" => value.as_f64() == Some(0.0),
        _ => false,
    }
}

/// Warns about a pattern that matches every text if its variables have their defaults.
fn every_text_by_default(check: &Check, case: &Case) -> Option<Diagnostic> {
    let patterns = check.arguments.get("pattern").unwrap_or(&check.arguments);
    let is_unset = |name: &str| !case.variables.iter().any(|(known, _)| known == name);
    items(patterns).iter().find_map(|node| {
        let written = Text::parse(&node.as_text()?);
        let variable = written.variables().next()?.to_owned();
        let pattern = written.fill(&|_| None).ok().filter(|pattern| matches_all(pattern))?;
        written.variables().all(is_unset).then(|| {
            let message = format!(
                "`{}` accepts every answer if `{variable}` is not set: its default `{pattern}` matches any text",
                check.name()
            );
            warning(node.span, message, "write a default that an empty answer does not match, or none")
        })
    })
}

/// Warns about a pattern that matches every text, including the empty one.
fn every_text(check: &Check) -> Option<Diagnostic> {
    let patterns = check.arguments.get("pattern").unwrap_or(&check.arguments);
    let found = items(patterns).iter().find(|node| node.as_text().is_some_and(|pattern| matches_all(&pattern)))?;
    let message = format!("`{}` accepts every answer: `{}` matches any text", check.name(), found.as_text()?);
    Some(warning(found.span, message, "write a pattern that an empty answer does not match; or remove the check"))
}

pub(crate) fn items(node: &Node) -> &[Node] {
    node.items().unwrap_or(std::slice::from_ref(node))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn detects_schemas_that_accept_everything() {
        use serde_json::json;
        let types = json!(["null", "boolean", "object", "array", "number", "string", "integer"]);
        for schema in [
            json!(true),
            json!({ "properties": {} }),
            json!({ "properties": { "a": { "title": "A" } }, "additionalProperties": true }),
            json!({ "allOf": [{}] }),
            json!({ "anyOf": [{ "type": "string" }, {}] }),
            json!({ "oneOf": [true] }),
            json!({ "type": types }),
            json!({ "required": [], "minLength": 0, "items": {}, "not": false }),
        ] {
            assert!(accepts_all(&schema), "{schema}");
        }
        for schema in [
            json!(false),
            json!({ "properties": { "a": { "type": "string" } } }),
            json!({ "properties": { "a": false } }),
            json!({ "allOf": [{}, { "type": "string" }] }),
            json!({ "anyOf": [{ "type": "string" }] }),
            json!({ "oneOf": [{}, {}] }),
            json!({ "type": ["null", "boolean", "object", "array", "integer", "string"] }),
            json!({ "required": ["a"] }),
            json!({ "additionalProperties": false }),
            json!({ "$ref": "#/$defs/a" }),
            json!({ "contains": {} }),
            json!({ "const": null }),
            json!({ "not": {} }),
        ] {
            assert!(!accepts_all(&schema), "{schema}");
        }
    }
}
