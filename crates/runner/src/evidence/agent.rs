//! What another agent says: one that the suite names, asked with one message.

use std::time::Instant;

use serde_json::{Value, json};

use super::{Evidence, Unanswered};
use crate::ask_agent::{Ask, find, lookup, patience};
use crate::job::Job;
use crate::secrets::learn_target;

/// Asks an agent; its result is under `output`.
pub(super) async fn ask(
    _evidence: &Evidence,
    job: &Job<'_>,
    agent: &str,
    message: String,
) -> Result<Value, Unanswered> {
    if let Ok(target) = find(job.suite, agent) {
        learn_target(target, &|name| lookup(target, job.options, name), &mut job.secrets.borrow_mut());
    }
    let draws = job.draws.of(1);
    let left = job.suite_deadline.map(|deadline| deadline.at.saturating_duration_since(Instant::now()));
    let limit = patience(job.options, job.case.timeout);
    let ask = Ask {
        suite: job.suite,
        case_id: &job.case.id,
        limit: left.map_or(limit, |left| limit.min(left)),
        draws: &draws,
        resources: &job.resources,
        fetched: &job.fetched,
    };
    let output = ask.agent(agent, message, job.options, job.stop).await;
    let output = output
        .map_err(|trouble| Unanswered { help: trouble.help, ..Unanswered::new(trouble.cause, trouble.message) })?;
    Ok(json!({ "output": output }))
}
