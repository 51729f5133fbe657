//! Parts of what goes into a turn, by the name that a template gives them.

use agentci_plan::{Text, UnsetVariableError};
use serde_json::Value;

/// A part of the input: all of it by `INPUT`, a field by `INPUT.name`, one within it by `INPUT.name.name`.
pub(crate) fn part<'i>(input: &'i Value, name: &str) -> Option<&'i Value> {
    let path = name.strip_prefix("INPUT")?;
    if path.is_empty() {
        return Some(input);
    }
    path.strip_prefix('.')?.split('.').try_fold(input, |value, key| match value {
        Value::Array(items) => items.get(key.parse::<usize>().ok()?),
        other => other.get(key),
    })
}

/// Names and their values, each filled in.
pub(crate) fn filled(
    named: &[(String, Text)],
    fill: impl Fn(&Text) -> Result<String, UnsetVariableError>,
) -> Result<Vec<(String, String)>, UnsetVariableError> {
    named.iter().map(|(name, value)| Ok((name.clone(), fill(value)?))).collect()
}

/// A value within a text: a text as it is, anything else as JSON.
pub(crate) fn as_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
