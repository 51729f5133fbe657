//! The schemas of tools, for arguments and results.

use agentci_plan::mcp_script::ScriptedMcpTool;
use jsonschema::{PatternOptions, Validator};
use serde_json::Value;

use crate::server_state::SchemaError;

/// Characters of an error to show.
const SHOWN: usize = 300;

#[derive(Debug)]
pub(crate) struct Schemas {
    /// Schema of its arguments.
    pub(crate) input: Option<Validator>,
    /// Schema of its structured results.
    pub(crate) output: Option<Validator>,
}

impl Schemas {
    pub(crate) fn of(tool: &ScriptedMcpTool) -> Result<Self, SchemaError> {
        let built = |key: &'static str| {
            let schema = tool.declared.get(key)?;
            Some(jsonschema::options().with_pattern_options(PatternOptions::regex()).build(schema).map_err(|error| {
                SchemaError { tool: tool.name.value.clone(), key, reason: error.to_string(), span: tool.name.span }
            }))
        };
        Ok(Self { input: built("inputSchema").transpose()?, output: built("outputSchema").transpose()? })
    }
}

/// The first way in which a value violates its schema, if it has one.
pub(crate) fn misfit(validator: Option<&Validator>, value: &Value) -> Option<String> {
    let error = validator?.iter_errors(value).next()?;
    let place = error.instance_path().to_string();
    let message: String = error.to_string().chars().take(SHOWN).collect();
    Some(if place.is_empty() { message } else { format!("at `{place}`, {message}") })
}
