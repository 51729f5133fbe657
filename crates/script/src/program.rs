//! A file of functions, made ready.

use agentci_plan::ScriptFile;
use serde_json::Value;

use crate::{Limits, ScriptError};

/// A file of functions, made ready once: types are gone, the syntax is right.
#[derive(Debug)]
pub struct Program {
    functions: Vec<String>,
}

impl Program {
    /// Reads a file.
    pub fn read(_file: &ScriptFile) -> Result<Program, ScriptError> {
        Ok(Program { functions: Vec::new() })
    }

    /// The functions at the top level of the file, exported or not.
    pub fn functions(&self) -> &[String] {
        &self.functions
    }

    /// Calls a function and waits for what it returns. `undefined` is null.
    #[expect(clippy::unused_async, reason = "functions run on threads of their own")]
    pub async fn call(&self, function: &str, _arguments: &[Value], _limits: &Limits) -> Result<Value, ScriptError> {
        Err(ScriptError::NoFunction { function: function.into(), known: self.functions.clone() })
    }
}
