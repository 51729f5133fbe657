//! What a function of the suite's own returns.

use std::sync::Arc;

use agentci_plan::ScriptFile;
use agentci_verdict::Cause;
use serde_json::Value;

use super::{Evidence, Unanswered};

#[expect(clippy::unused_async, reason = "functions run on a thread of their own")]
pub(super) async fn call(
    _evidence: &Evidence,
    _file: Arc<ScriptFile>,
    _function: String,
    _arguments: Vec<Value>,
) -> Result<Value, Unanswered> {
    Err(Unanswered::new(Cause::Config, "there is no engine for scripts"))
}
