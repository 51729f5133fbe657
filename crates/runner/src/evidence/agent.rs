//! What another agent says.

use agentci_verdict::Cause;
use serde_json::Value;

use super::{Evidence, Unanswered};
use crate::job::Job;

#[expect(clippy::unused_async, reason = "an agent takes its time")]
pub(super) async fn ask(
    _evidence: &Evidence,
    job: &Job<'_>,
    agent: &str,
    _message: String,
) -> Result<Value, Unanswered> {
    let known = job.suite.agents.iter().any(|(name, _)| name == agent);
    let message = if known { "agents can not be asked yet" } else { "there is no such agent" };
    Err(Unanswered::new(Cause::Config, message))
}
