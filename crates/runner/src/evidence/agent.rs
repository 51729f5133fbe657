//! Asks another agent of the suite one question.

use agentci_verdict::Finding;
use serde_json::{Value, json};
use tokio::time::Instant;

use super::EvidenceError;
use crate::ask_agent::{Ask, AskError, find, lookup, patience};
use crate::{job::CaseJob, secret_sources::learn_target};

/// Asks an agent and returns its result under `output`.
pub(super) async fn ask(job: &CaseJob<'_>, agent: &str, message: String) -> Result<Value, EvidenceError> {
    if let Ok(target) = find(job.run.suite, agent) {
        job.secrets.meet(|secrets| learn_target(target, &|name| lookup(target, job.run.options, name), secrets));
    }
    let draws = job.run.shared.draws.of(1);
    let left = job.run.deadline.map(|deadline| deadline.at.saturating_duration_since(Instant::now()));
    let limit = patience(job.run.options, job.case.timeout);
    let ask = Ask {
        suite: job.run.suite,
        case_id: &job.case.id,
        limit: left.map_or(limit, |left| limit.min(left)),
        draws: &draws,
        resources: &job.resources,
        fetched: &job.secrets.fetched,
        options: job.run.options,
        stop: job.run.stop,
    };
    let output = ask.agent(agent, message).await;
    let unheard = |trouble: AskError| Finding { help: trouble.help, ..Finding::new(trouble.cause, trouble.message) };
    Ok(json!({ "output": output.map_err(unheard)? }))
}
