//! Calls a function of the suite's own script.

use std::sync::Arc;

use agentci_plan::ScriptFile;
use agentci_script::{CallLimits, ScriptError};
use agentci_source::{did_you_mean, read};
use agentci_verdict::{Cause, Finding};
use serde_json::{Value, json};

use super::EvidenceError;
use crate::job::CaseJob;

/// The maximum size of a function's result, as JSON.
const RETURNED: usize = 64 * 1024;

pub(super) async fn call(
    job: &CaseJob<'_>,
    file: Arc<ScriptFile>,
    function: String,
    arguments: Vec<Value>,
) -> Result<Value, EvidenceError> {
    let result = match job.run.shared.library.program(&file) {
        Ok(program) => program.call(&function, &arguments, &CallLimits::default()).await,
        Err(error) => Err(error),
    };
    match result {
        Ok(returned) if returned.to_string().len() > RETURNED => {
            Ok(json!({ "thrown": format!("it returned more than {} KB", RETURNED / 1024) }))
        }
        Ok(returned) => Ok(json!({ "returned": returned })),
        Err(ScriptError::Thrown { message, place: Some((line, column)) }) => {
            Ok(json!({ "thrown": message, "place": { "line": line, "column": column } }))
        }
        Err(error @ (ScriptError::Syntax { .. } | ScriptError::NoFunction { .. } | ScriptError::Engine(_))) => {
            Err(broken(&file, &error))
        }
        Err(error) => Ok(json!({ "thrown": error.to_string() })),
    }
}

/// The finding for a function that does not exist.
pub(super) fn no_function(file: &ScriptFile, function: &str, known: &[String]) -> EvidenceError {
    let help = match did_you_mean(function, known.iter().map(String::as_str)) {
        Some(meant) => format!("did you mean `{meant}`?"),
        None if known.is_empty() => "it defines no functions".into(),
        None => format!("it defines {}", read::quoted_list(known)),
    };
    let message = format!("`{}` has no function `{function}`", file.path.display());
    Finding::new(Cause::Config, message).help(help).into()
}

/// The finding for a script that cannot be parsed or lacks the function.
fn broken(file: &ScriptFile, error: &ScriptError) -> EvidenceError {
    let path = file.path.display();
    let (message, help) = match error {
        ScriptError::Syntax { line, column, message } => {
            (format!("`{path}` cannot be parsed: {message} ({path}:{line}:{column})"), None)
        }
        ScriptError::NoFunction { function, known } => return no_function(file, function, known),
        other => (format!("`{path}`: {other}"), None),
    };
    Finding { help, ..Finding::new(Cause::Config, message) }.into()
}
