//! Saves recordings.

use std::collections::BTreeMap;

use agentci_checks::may_go_unasked;
use agentci_plan::{RecordedCase, RecordedWorld, Target};
use agentci_recorder::{Bypass, EndKind, Exchange, FinishedSession, Recording, WarningKind};
use agentci_verdict::{Cause, Finding};

use super::judge::{belongs, bypassed, place};
use super::observe::asks_model;
use crate::{account::Account, attempt::Attempt, findings, job::CaseJob, model_trouble::NO_MODEL, recording};

/// Saves the recording of an attempt that was not aborted; if a case is run several times, only that of the first run.
pub(super) fn keep(
    attempt: &Attempt<'_>,
    world: RecordedWorld<'_>,
    finished: FinishedSession,
    updated: bool,
    account: &mut Account,
) {
    let job = attempt.job;
    let FinishedSession { mut recording, mut secrets, tally, bypassed: past, warnings, .. } = finished;
    let overspent = job.run.options.settings.budget.as_ref().and_then(|budget| budget.exceeded());
    // An attempt that finished before the limit has a complete recording.
    let cut = warnings.iter().any(|warning| matches!(warning.kind, WarningKind::Refused { .. }));
    if let Some(reason) = overspent.filter(|_| cut || !account.findings.is_empty()) {
        findings::before(&mut account.findings, vec![stopped(job, world, reason)], &findings::CONSEQUENCES);
        return;
    }
    let foreign: Vec<&Exchange> =
        recording.exchanges.iter().filter(|exchange| !belongs(world.holds, exchange)).collect();
    if let Some(first) = foreign.first() {
        let (count, first) = (foreign.len(), place(first));
        account.warnings.push(format!(
            "{count} requests are not model calls and not in the recording of the model, such as {first}; \
             `world: {{ recording: .. }}` records them as well"
        ));
    }
    let unused = if updated { tally.unused.as_slice() } else { &[] };
    let stays = |exchange: &Exchange| {
        belongs(world.holds, exchange) && (!unused.contains(&exchange.id) || exchange.end.how == EndKind::Left)
    };
    keep_only(&mut recording, stays);
    // A case may allow that its model is not called, as long as nothing bypassed the recorder.
    let is_meant = past.is_empty() && may_go_unasked(job.case);
    if account.findings.is_empty() && is_empty(world, &recording) && !is_meant {
        let finding = nothing(job, world, bypassed(&past));
        if !may_be_empty(job, world, &past) {
            account.findings.push(finding);
            return;
        }
        let message = finding.message;
        account.warnings.push(format!("{message}; in replay, any request fails this case; {NO_MODEL}"));
    }
    if attempt.number > 1 || !recording::is_worth_keeping(&world.recording.path, &account.findings) {
        return;
    }
    secrets.absorb(&job.secrets.all());
    if let Err(error) = agentci_recorder::save(&world.recording.path, &recording, &secrets) {
        let message = format!("the recording could not be written: {error}");
        account.findings.push(job.invalid(world.recording.span, message));
    }
}

/// Removes exchanges and renumbers the others.
fn keep_only(recording: &mut Recording, stays: impl Fn(&Exchange) -> bool) {
    recording.exchanges.retain(|exchange| stays(exchange));
    let numbers: BTreeMap<u64, u64> = recording.exchanges.iter().map(|exchange| exchange.id).zip(1..).collect();
    for exchange in &mut recording.exchanges {
        exchange.id = numbers.get(&exchange.id).copied().unwrap_or(exchange.id);
        exchange.after = exchange.after.and_then(|after| numbers.get(&after).copied());
    }
}

fn is_empty(world: RecordedWorld<'_>, recording: &Recording) -> bool {
    let counts = |exchange: &Exchange| match world.holds {
        RecordedCase::World => !exchange.chatter,
        RecordedCase::Model => asks_model(&exchange.request),
    };
    !recording.exchanges.iter().any(counts)
}

/// Whether the recording may be empty: for a server, which may answer without any request, if nothing bypassed the
/// recorder. In a replay it may not send requests either.
fn may_be_empty(job: &CaseJob<'_>, world: RecordedWorld<'_>, past: &[Bypass]) -> bool {
    past.is_empty() && world.holds == RecordedCase::World && matches!(&*job.case.target, Target::Http(_))
}

/// The finding for a case with nothing to save.
fn nothing(job: &CaseJob<'_>, world: RecordedWorld<'_>, past: Vec<String>) -> Finding {
    let help = if past.is_empty() {
        format!("an agent that sends no HTTP requests needs no recording: remove `recording`; {NO_MODEL}")
    } else {
        "make the agent use the proxy and certificates from its environment: `HTTPS_PROXY`, `SSL_CERT_FILE`".to_owned()
    };
    let message = "nothing was recorded: no request from the agent reached the recorder";
    let finding = Finding::new(Cause::Config, message).at(job.place(world.recording.span), "unchanged");
    Finding { notes: past, ..finding.help(help) }
}

/// The finding for a case that was not finished when the budget of the run was spent.
fn stopped(job: &CaseJob<'_>, world: RecordedWorld<'_>, reason: String) -> Finding {
    findings::ceiling(reason).at(job.place(world.recording.span), "unchanged")
}
