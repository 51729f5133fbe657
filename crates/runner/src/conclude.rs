//! Findings that can only be made once the agent has ended.

use std::time::Duration;

use agentci_plan::Target;
use agentci_trace::{Trace, TracedCall};
use agentci_verdict::{Cause, Finding};

use crate::account::Account;
use crate::attempt::Attempt;
use crate::job::CaseJob;
use crate::mcp_servers::McpServers;
use crate::services::OpenTools;
use crate::unreported::sees_models;
use crate::{findings, meter, model_trouble, silent_agent, unreported};

/// Collects what its tools and the agent itself report after the conversation.
pub(crate) async fn look_around(
    attempt: &Attempt<'_>,
    (served, mcp): (Option<&OpenTools>, Option<&McpServers>),
    account: &mut Account,
) {
    let (job, number) = (attempt.job, attempt.number);
    let (mut misses, warnings) = served.map(|served| served.misses(job)).unwrap_or_default();
    account.warnings.extend(warnings);
    misses.extend(mcp.into_iter().flat_map(|mcp| mcp.misses(job)));
    findings::put_first(&mut account.findings, misses);
    let troubles = model_trouble::judge(job, &account.trace);
    account.warnings.extend(troubles.warnings);
    model_trouble::put_first(&mut account.findings, troubles.findings);
    if account.findings.is_empty() {
        return;
    }
    let broke_off = account.findings.iter().any(|found| matches!(found.cause, Cause::AgentExited | Cause::Unreachable));
    let (left, printed) = Box::pin(job.run.shared.agents.look(job, number, broke_off)).await;
    account.stderr_tail.extend(printed);
    if let (Some(left), Some(finding)) = (left, account.findings.first_mut()) {
        finding.notes.push(left);
    }
    if account.given_up && job.run.shared.tools.is_shared(job) {
        Box::pin(job.run.shared.agents.give_up(job, number)).await;
    }
}

/// Adds the findings that need the whole attempt.
pub(crate) fn conclude(job: &CaseJob<'_>, account: &mut Account) {
    if account.findings.is_empty() {
        account.findings.extend(silent_agent::finding(job, &account.trace));
    }
    if account.findings.is_empty() {
        // A negative limit is exceeded without any usage.
        account.findings.extend(account.exceeded.take());
        account.findings.extend(wall_exceeded(job, account.wall));
    }
    let model_calls = &mut account.metrics.model_calls;
    if let Target::Mock(_) = &*job.case.target {
        // There is no agent that could call a model.
        *model_calls = None;
    } else if sees_models(job) {
        // For other targets, not seeing a request does not mean that there was none.
        model_calls.get_or_insert_default();
    }
    if account.findings.is_empty() {
        let judged = unreported::judge(job, &account.trace, &account.metrics);
        account.findings.extend(judged.findings);
        account.warnings.extend(judged.warnings);
    }
    if let Some(finding) = account.findings.first_mut() {
        if used_up_by_calls(finding) {
            finding.notes.extend(agentci_checks::call_sequence(&account.trace));
        }
        finding.notes.extend(faults_met(&account.trace));
    }
}

/// Whether an agent that calls tools in a loop ends like this.
fn used_up_by_calls(finding: &Finding) -> bool {
    match finding.cause {
        Cause::Timeout => true,
        Cause::Limit => {
            matches!(&*finding.name, "max_tool_calls" | "max_tool_errors" | "max_model_calls" | "max_wall_ms")
        }
        _ => false,
    }
}

/// The injected faults that happened before the failure.
fn faults_met(trace: &Trace) -> Vec<String> {
    let note = |call: TracedCall<'_>| {
        let fault = call.results().find_map(|result| result.fault.as_ref())?;
        Some(format!("the fault `{fault}` was injected into the answer to `{}`", call.call.name))
    };
    trace.asked_calls().into_iter().filter_map(note).collect()
}

fn wall_exceeded(job: &CaseJob<'_>, used: Duration) -> Option<Finding> {
    let limit = job.case.limits.wall_ms?;
    let used = used.as_secs_f64() * 1000.0;
    (used > limit.most).then(|| meter::exceeded("max_wall_ms", limit, used.round(), job.run.sources))
}
