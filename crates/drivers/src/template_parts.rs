//! Resolves references to the input in templates.

use agentci_plan::{Text, UnsetVariableError};
use serde_json::Value;

/// A part of the input: `INPUT` is all of it, `INPUT.name` a field, `INPUT.name.name` a nested field.
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

/// Fills in named values.
pub(crate) fn filled(
    named: &[(String, Text)],
    fill: impl Fn(&Text) -> Result<String, UnsetVariableError>,
) -> Result<Vec<(String, String)>, UnsetVariableError> {
    named.iter().map(|(name, value)| Ok((name.clone(), fill(value)?))).collect()
}

/// A value as text: a string as it is, anything else as JSON.
pub(crate) fn as_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
