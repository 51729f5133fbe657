//! A file of functions, made ready.

use std::sync::Arc;

use agentci_plan::ScriptFile;
use serde_json::Value;

use crate::code::ReadyCode;
use crate::engine::FunctionRun;
use crate::surrogates::without_halves;
use crate::{CallLimits, ScriptError, workers};

/// A file of functions, made ready once: types are gone, the syntax is right.
#[derive(Debug, Clone)]
pub struct ScriptProgram {
    code: Arc<ReadyCode>,
}

impl ScriptProgram {
    /// Reads a file.
    pub fn read(file: &ScriptFile) -> Result<ScriptProgram, ScriptError> {
        Ok(ScriptProgram { code: Arc::new(ReadyCode::read(file)?) })
    }

    /// The functions at the top level of the file, exported or not.
    pub fn functions(&self) -> &[String] {
        &self.code.functions
    }

    /// Whether a function of this name can be called. Of what a file puts together while it runs, only a call can tell.
    pub fn may_have(&self, function: &str) -> bool {
        self.code.open || self.code.names.iter().any(|name| name == function)
    }

    /// Calls a function and waits for what it returns, or for what its promise comes to; `undefined` is null. Every call has a
    /// world of its own: what one leaves behind, no other sees. It runs on a thread of this crate; who waits needs a `tokio`
    /// runtime with a clock.
    pub async fn call(&self, function: &str, arguments: &[Value], limits: &CallLimits) -> Result<Value, ScriptError> {
        let arguments = arguments.iter().map(Value::to_string).collect();
        let call =
            FunctionRun { code: Arc::clone(&self.code), function: function.into(), arguments, limits: limits.clone() };
        let text = workers::call(call).await?;
        serde_json::from_str(&without_halves(&text))
            .map_err(|error| ScriptError::NotJson(format!("a value that can not be read: {error}")))
    }
}
