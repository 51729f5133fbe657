//! The body of a request.

use std::collections::BTreeMap;

use agentci_plan::{Data, Text, UnsetVariableError, is_input};
use serde_json::{Map, Value};

use crate::template_parts::{as_text, part};

/// A body template, with the values of its variables.
#[derive(Debug)]
pub(super) struct BodyTemplate {
    template: Option<Data>,
    variables: BTreeMap<String, String>,
}

impl BodyTemplate {
    /// Looks up the template's variables, except the input.
    pub(super) fn new(
        template: Option<&Data>,
        lookup: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Self, UnsetVariableError> {
        let mut variables = BTreeMap::new();
        if let Some(template) = template {
            let names = template.variables();
            let others = names.into_iter().filter(|name| !is_input(name));
            variables.extend(others.filter_map(|name| Some((name.clone(), lookup(&name)?))));
            // Report unset variables before anything is sent.
            template.fill(&|name| if is_input(name) { Some(String::new()) } else { lookup(name) })?;
        }
        Ok(Self { template: template.cloned(), variables })
    }

    /// The body for an input. Values in `known` take precedence over the looked-up ones.
    pub(super) fn fill(&self, input: &Value, known: &BTreeMap<String, String>) -> Result<Value, UnsetVariableError> {
        let Some(template) = &self.template else { return Ok(input.clone()) };
        if let Some(value) = template.as_literal() {
            return Ok(value.clone());
        }
        fill(&template.written(), input, &|name| match part(input, name) {
            Some(part) => Some(as_text(part)),
            None => known.get(name).or_else(|| self.variables.get(name)).cloned(),
        })
    }
}

/// Adds the URLs of the tools to the `variables` of a task.
pub(super) fn with_bases(mut task: Value, bases: &[(String, String)]) -> Value {
    if let Value::Object(task) = &mut task
        && !bases.is_empty()
    {
        let variables = task.entry("variables").or_insert_with(|| Value::Object(Map::new()));
        if let Value::Object(variables) = variables {
            variables.extend(bases.iter().map(|(name, base)| (name.clone(), base.as_str().into())));
        }
    }
    task
}

fn fill(value: &Value, input: &Value, lookup: &dyn Fn(&str) -> Option<String>) -> Result<Value, UnsetVariableError> {
    Ok(match value {
        Value::String(text) => match sole_input(text) {
            Some(name) => part(input, name).cloned().ok_or_else(|| UnsetVariableError(name.to_owned()))?,
            None => Value::String(Text::parse(text).fill(lookup)?),
        },
        Value::Array(items) => items.iter().map(|item| fill(item, input, lookup)).collect::<Result<_, _>>()?,
        Value::Object(map) => {
            let filled = map.iter().map(|(key, value)| Ok((key.clone(), fill(value, input, lookup)?)));
            Value::Object(filled.collect::<Result<_, UnsetVariableError>>()?)
        }
        other => other.clone(),
    })
}

/// The name in a string that consists of one input reference only.
fn sole_input(text: &str) -> Option<&str> {
    let name = text.strip_prefix("${")?.strip_suffix('}')?;
    let plain = name.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '.');
    (plain && is_input(name)).then_some(name)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn filled(template: &Value, input: &Value) -> Result<Value, UnsetVariableError> {
        let template = Data::parse(template);
        let body = BodyTemplate::new(Some(&template), &|name| (name == "USER").then(|| "ada".to_owned()))?;
        body.fill(input, &BTreeMap::from([("BASE".to_owned(), "http://t".to_owned())]))
    }

    #[test]
    fn lone_input_placeholder_keeps_its_type() {
        let input = json!({"q": "why?", "variables": {"id": 7, "tags": ["a", "b"]}});
        for (template, expected) in [
            (json!("${INPUT}"), input.clone()),
            (json!({"ask": "${INPUT.q}"}), json!({"ask": "why?"})),
            (json!(["${INPUT.variables}"]), json!([{"id": 7, "tags": ["a", "b"]}])),
            (json!("${INPUT.variables.id}"), json!(7)),
            (json!("${INPUT.variables.tags.1}"), json!("b")),
            (json!("id ${INPUT.variables.id}, ${INPUT.variables.tags}"), json!("id 7, [\"a\",\"b\"]")),
            (json!("${INPUT.missing:-none} ${USER}"), json!("none ada")),
            (json!("$${INPUT.q} ${USER}"), json!("${INPUT.q} ada")),
            (json!({"n": 1, "t": "${USERS:-}"}), json!({"n": 1, "t": ""})),
        ] {
            assert_eq!(filled(&template, &input).unwrap(), expected, "{template}");
        }
    }

    #[test]
    fn reports_name_of_unset_variable() {
        assert_eq!(filled(&json!("${INPUT.missing}"), &json!({})), Err(UnsetVariableError("INPUT.missing".into())));
        assert_eq!(filled(&json!("a ${INPUT.missing}"), &json!({})), Err(UnsetVariableError("INPUT.missing".into())));
        assert_eq!(filled(&json!("${OTHER}"), &json!({})), Err(UnsetVariableError("OTHER".into())));
    }

    #[test]
    fn adds_tool_urls_to_task_variables() {
        let bases = [("BASE".to_owned(), "http://t".to_owned())];
        for (task, expected) in [
            (json!({"q": 1}), json!({"q": 1, "variables": {"BASE": "http://t"}})),
            (json!({"variables": {"a": 1}}), json!({"variables": {"a": 1, "BASE": "http://t"}})),
            (json!({"variables": [1]}), json!({"variables": [1]})),
            (json!("text"), json!("text")),
        ] {
            assert_eq!(with_bases(task, &bases), expected);
        }
        assert_eq!(with_bases(json!({}), &[]), json!({}));
    }
}
