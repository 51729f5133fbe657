//! The hooks of an agent: `Create` runs before the model is called, `Next` after it answered.

use std::sync::Arc;

use agentci_plan::ScriptFile;
use agentci_script::{CallLimits, ScriptError, ScriptProgram};
use serde_json::Value;

use crate::{DriveError, DriveResult, Resources};

/// The fields of `ctx`.
const PARTS: [&str; 8] = ["chat_id", "assistant_id", "locale", "authorized", "client", "referer", "accept", "metadata"];

/// The hooks of an agent.
#[derive(Debug, Clone)]
pub(super) struct Hooks {
    file: Arc<ScriptFile>,
    program: Arc<ScriptProgram>,
}

impl Hooks {
    pub(super) fn open(file: &Arc<ScriptFile>, resources: &dyn Resources) -> DriveResult<Self> {
        match resources.program(file) {
            Ok(program) => Ok(Self { file: Arc::clone(file), program }),
            Err(error) => Err(told(file, None, &error)),
        }
    }

    /// Calls a hook; `None` if it does not exist or returns nothing.
    pub(super) async fn call(&self, function: &str, arguments: &[Value]) -> DriveResult<Option<Value>> {
        if !self.program.functions().iter().any(|known| known == function) {
            return Ok(None);
        }
        let returned = self.program.call(function, arguments, &CallLimits::default()).await;
        let returned = returned.map_err(|error| told(&self.file, Some(function), &error))?;
        Ok(Some(returned).filter(|returned| !returned.is_null()))
    }

    /// The error for an invalid return value.
    pub(super) fn wrong(&self, function: &str, message: &str) -> DriveError {
        DriveError::Function { message: format!("{}: `{function}` {message}", self.file.path.display()) }
    }
}

fn told(file: &ScriptFile, function: Option<&str>, error: &ScriptError) -> DriveError {
    let place = match error {
        ScriptError::Syntax { line, column, .. } | ScriptError::Thrown { place: Some((line, column)), .. } => {
            format!(":{line}:{column}")
        }
        _ => String::new(),
    };
    let missing = missing(file, error).map(|part| {
        format!(
            "\n`{part}` does not exist: `ctx` is plain data here, and nothing is sent, stored or traced; write \
             `{part}?.` to continue without it"
        )
    });
    let missing = missing.unwrap_or_default();
    let who = function.map(|function| format!("`{function}`: ")).unwrap_or_default();
    DriveError::Function { message: format!("{}{place}: {who}{error}{missing}", file.path.display()) }
}

/// The field of `ctx` that the failing line uses and that does not exist, such as `ctx.Send`.
fn missing<'f>(file: &'f ScriptFile, error: &ScriptError) -> Option<&'f str> {
    let ScriptError::Thrown { message, place: Some((line, _)) } = error else { return None };
    let line = file.source.lines().nth(usize::try_from(*line).ok()?.checked_sub(1)?)?;
    let parts = line.match_indices("ctx.").filter_map(|(at, begin)| {
        let name = &line[at + begin.len()..];
        let end = name.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(name.len());
        let known = end == 0 || PARTS.contains(&&name[..end]);
        (!known).then(|| &line[at..at + begin.len() + end])
    });
    parts.into_iter().next().filter(|_| message.starts_with("TypeError"))
}
