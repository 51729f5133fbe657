//! Calls a function of the suite's own Python file.

use agentci_plan::ScriptFile;
use agentci_python::{NO_PYTHON, PythonAnswer, PythonError, PythonException, PythonFunctions};
use agentci_verdict::{Cause, Finding};
use serde_json::{Value, json};

use super::EvidenceError;
use super::script::no_function;
use crate::job::CaseJob;

pub(super) async fn call(
    job: &CaseJob<'_>,
    python: &PythonFunctions,
    file: &ScriptFile,
    function: &str,
    arguments: &[Value],
) -> Result<Value, EvidenceError> {
    let PythonAnswer { result, printed } = python.call(&job.run.suite.folder, file, function, arguments).await;
    let mut answer = match result {
        Ok(returned) => json!({ "returned": returned }),
        Err(PythonError::Thrown(exception)) => thrown(exception),
        Err(error) => return Err(unusable(file, function, error, &printed)),
    };
    if !printed.is_empty() {
        answer["printed"] = printed.into();
    }
    Ok(answer)
}

fn thrown(PythonException { message, line, traceback }: PythonException) -> Value {
    let mut answer = json!({ "thrown": message });
    if let Some(line) = line {
        answer["place"] = json!({ "line": line });
    }
    if !traceback.is_empty() {
        answer["traceback"] = traceback.into();
    }
    answer
}

/// The finding for a file that cannot be used: its function was not called.
fn unusable(file: &ScriptFile, function: &str, error: PythonError, printed: &str) -> EvidenceError {
    let path = file.path.display();
    let finding = |message: String| Finding::new(Cause::Config, message);
    let finding = match error {
        PythonError::NoFunction { known } => return no_function(file, function, &known),
        PythonError::NoInterpreter => {
            finding(format!("`{path}` needs Python, but `python3` was not found")).help(NO_PYTHON)
        }
        PythonError::Syntax { line, column, message } => {
            finding(format!("`{path}` cannot be parsed: {message} ({path}:{line}:{column})"))
        }
        PythonError::NotLoaded(PythonException { message, line, traceback })
        | PythonError::Thrown(PythonException { message, line, traceback }) => {
            let line = line.map(|line| format!(" ({path}:{line})")).unwrap_or_default();
            let missing = message.starts_with("ModuleNotFoundError");
            let help = missing.then(|| {
                "install the package in the virtual environment of the project (`.venv`), or activate the one that has it"
                    .to_owned()
            });
            Finding { notes: traceback, help, ..finding(format!("`{path}` cannot be loaded: {message}{line}")) }
        }
    };
    let printed = printed.lines().take(20).map(|line| format!("it printed: {line}"));
    let notes = finding.notes.iter().cloned().chain(printed).collect();
    Finding { notes, ..finding }.into()
}
