//! A prepared script file.

use std::sync::Arc;

use agentci_plan::ScriptFile;
use serde_json::Value;

use crate::code::ReadyCode;
use crate::engine::FunctionRun;
use crate::surrogates::without_halves;
use crate::{CallLimits, ScriptError, workers};

/// A prepared script file: types are removed, and the syntax is valid.
#[derive(Debug, Clone)]
pub struct ScriptProgram {
    code: Arc<ReadyCode>,
}

impl ScriptProgram {
    /// Prepares a file.
    pub fn read(file: &ScriptFile) -> Result<ScriptProgram, ScriptError> {
        Ok(ScriptProgram { code: Arc::new(ReadyCode::read(file)?) })
    }

    /// The functions at the top level of the file, exported or not.
    pub fn functions(&self) -> &[String] {
        &self.code.functions
    }

    /// Whether a function of this name may exist. Functions that a file creates at run time are only known when it is
    /// called.
    pub fn may_have(&self, function: &str) -> bool {
        self.code.open || self.code.names.iter().any(|name| name == function)
    }

    /// Calls a function and returns its result, or the result of its promise; `undefined` becomes null. Calls share no
    /// state. The function runs on a thread of this crate; the caller needs a `tokio` runtime with time enabled.
    pub async fn call(&self, function: &str, arguments: &[Value], limits: &CallLimits) -> Result<Value, ScriptError> {
        let arguments = arguments.iter().map(Value::to_string).collect();
        let call =
            FunctionRun { code: Arc::clone(&self.code), function: function.into(), arguments, limits: limits.clone() };
        let text = workers::call(call).await?;
        serde_json::from_str(&without_halves(&text))
            .map_err(|error| ScriptError::NotJson(format!("a value that cannot be read: {error}")))
    }
}
