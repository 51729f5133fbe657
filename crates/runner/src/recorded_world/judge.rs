//! Judges an attempt by its recorded world: requests without a recorded answer, recorded requests that were never sent,
//! and connections that bypassed the recorder.

use std::sync::Arc;

use agentci_plan::{RecordedCase, RecordedWorld, ToolSource};
use agentci_recorder::{
    Bypass, EndKind, Exchange, FinishedSession, Miss, NearestRequest, Remedy, ReplayTally, Warning, WarningKind,
};
use agentci_text::count_of;
use agentci_trace::Event;
use agentci_verdict::{Cause, Finding, Matched, ReplaySource};

use super::observe::{asks_model, is_helper};
use super::session::{SessionEnd, SessionUse};
use super::{file, save};
use crate::{account::Account, attempt::Attempt, findings, job::CaseJob, meter, translate};

/// The maximum number of misses that are reported per case; one miss causes others.
const MISSES_TOLD: usize = 3;

/// The maximum number of requests and connections that are listed.
const LISTED: usize = 5;

/// The findings for requests without a recorded answer.
pub(crate) fn misses(job: &CaseJob<'_>, misses: &[Arc<Miss>]) -> Vec<Finding> {
    let Some(world) = job.case.recorded_world() else { return Vec::new() };
    let mut found: Vec<Finding> = misses.iter().take(MISSES_TOLD).map(|miss| missed(job, world, miss)).collect();
    let more = misses.len().saturating_sub(MISSES_TOLD);
    if let Some(last) = found.last_mut().filter(|_| more > 0) {
        last.notes.push(format!("{more} more requests are not in the recording"));
    }
    found
}

/// Judges a finished session and saves its recording.
pub(crate) fn conclude(attempt: &Attempt<'_>, ended: SessionEnd, account: &mut Account) {
    let job = attempt.job;
    let Some(world) = job.case.recorded_world() else { return };
    let SessionEnd { finished, used, late, unobserved, .. } = ended;
    take_late(attempt, late, account);
    account.warnings.extend(unobserved);
    job.secrets.meet(|secrets| secrets.absorb(&finished.secrets));
    // Requests to servers that agentci plays itself are passed on to them.
    let plays = matches!(job.case.world.tools, ToolSource::Routes(_)) || !job.case.world.mcp.is_empty();
    let told = |warning: &&Warning| !(plays && matches!(warning.kind, WarningKind::PassedOn { .. }));
    account.warnings.extend(finished.warnings.iter().filter(told).map(ToString::to_string));
    account.warnings.extend(bypassed(&finished.bypassed));
    match used {
        SessionUse::Watched => {}
        SessionUse::Replayed(replay) => replayed(job, world, &finished, replay, account),
        SessionUse::Recorded | SessionUse::Updated => {
            let updated = matches!(used, SessionUse::Updated);
            save::keep(attempt, world, finished, updated, account);
        }
    }
}

fn missed(job: &CaseJob<'_>, world: RecordedWorld<'_>, miss: &Miss) -> Finding {
    let message = format!("request {} is not in the recording: {}", miss.number, miss.reason);
    let finding = Finding::new(Cause::ReplayMiss, message).at(job.place(world.recording.span), "this recording");
    let mut notes = vec![format!("request {}: {}", miss.number, miss.asked)];
    notes.extend(miss.nearest.iter().flat_map(nearest));
    let again = || format!("if the change is intended, record it again: `{}`", file::command(job, true));
    Finding { notes, ..finding.help(miss.remedy.as_ref().map_or_else(again, Remedy::in_suite)) }
}

/// Notes on the nearest recorded request and the first difference.
fn nearest(nearest: &NearestRequest) -> Vec<String> {
    let NearestRequest { id, different, leaves, at, recorded, sent, .. } = nearest;
    let mut lines = vec![format!("the nearest recorded request is number {id}: {different} of {leaves} values differ")];
    if !at.is_empty() {
        lines.push(format!("at {at} it was recorded as {recorded}"));
        lines.push(format!("and now it is {sent}"));
    }
    lines
}

/// Adds events that were seen after the conversation to its last turn, and recounts.
pub(crate) fn take_late(attempt: &Attempt<'_>, late: Vec<agentci_trace::EventKind>, account: &mut Account) {
    if late.is_empty() {
        return;
    }
    let turn = account.trace.events().last().map_or(0, |event| event.turn);
    for kind in late {
        let event = Event { at: attempt.clock.now(), turn, kind };
        if let Some(body) = translate::translate(&event, &attempt.job.case_id) {
            attempt.emit_at(event.at.unix_ms, body);
        }
        account.trace.push(event);
    }
    let (metrics, exceeded) = meter::recount(attempt.job, &account.trace);
    account.metrics = metrics;
    account.exceeded = exceeded;
}

fn replayed(
    job: &CaseJob<'_>,
    world: RecordedWorld<'_>,
    finished: &FinishedSession,
    replay: ReplaySource,
    account: &mut Account,
) {
    findings::put_first(&mut account.findings, misses(job, &finished.misses));
    let ReplayTally { exact, with_holes, holes, unused, examples, .. } = &finished.tally;
    let recorded = &finished.recording.exchanges;
    let is_unused = |exchange: &&Exchange| unused.contains(&exchange.id) && counts(exchange);
    let unused: Vec<&Exchange> = recorded.iter().filter(is_unused).collect();
    account.left.replay = Some(ReplaySource {
        matched: Some(Matched {
            exact: *exact,
            with_holes: *with_holes,
            ids: holes.ids,
            clock: holes.clock,
            folders: holes.roots,
            learned: holes.learned,
            ignored: holes.ignored,
            unused: unused.iter().map(|exchange| exchange.id).collect(),
            renamed: examples.iter().map(ToString::to_string).collect(),
        }),
        ..replay
    });
    if holes.ignored > 0 {
        let places = count_of(holes.ignored, "difference");
        account.warnings.push(format!("ignored {places} between requests and their recording, as `match` specifies"));
    }
    // After an earlier failure the agent may not have sent the rest.
    if account.findings.is_empty() && !unused.is_empty() {
        never_sent(job, world, recorded, &unused, account);
    }
}

/// Whether an unused recorded exchange is significant: one that the agent itself cancelled was in a race with its end.
fn counts(exchange: &Exchange) -> bool {
    !exchange.chatter && exchange.end.how != EndKind::Left
}

/// Reports recorded requests that the agent did not send: a finding, or a warning if they only read something.
fn never_sent(
    job: &CaseJob<'_>,
    world: RecordedWorld<'_>,
    recorded: &[Exchange],
    unused: &[&Exchange],
    account: &mut Account,
) {
    let all = recorded.iter().filter(|exchange| counts(exchange)).count();
    let words = |which: &[&Exchange]| {
        let mut listed: Vec<String> = which.iter().take(LISTED).map(|exchange| place(exchange)).collect();
        if which.len() > LISTED {
            listed.push(format!("{} more", which.len() - LISTED));
        }
        listed.join(", ")
    };
    // An optional model may be called or not, as with a guard next to it.
    let may_go = |exchange: &Exchange| job.case.world.model_optional && asks_model(&exchange.request);
    let acting: Vec<&Exchange> =
        unused.iter().copied().filter(|exchange| acts(exchange) && !may_go(exchange)).collect();
    let some = |which: &[&Exchange]| {
        let (count, were) = (which.len(), if which.len() == 1 { "was" } else { "were" });
        format!("{count} of {all} recorded requests {were} never sent: {}", words(which))
    };
    if acting.is_empty() {
        account.warnings.push(some(unused));
        return;
    }
    let message = if unused.len() == all {
        format!("the agent sent none of the {all} recorded requests: {}", words(&acting))
    } else {
        some(&acting)
    };
    let finding = Finding::new(Cause::ReplayMiss, message).at(job.place(world.recording.span), "this recording");
    let help = format!("if the agent should send fewer requests, record it again: `{}`", file::command(job, true));
    account.findings.push(finding.help(help));
}

/// Whether an exchange calls a model or may change something.
fn acts(exchange: &Exchange) -> bool {
    let looks_up = matches!(exchange.request.method.as_str(), "GET" | "HEAD" | "OPTIONS");
    asks_model(&exchange.request) || !(looks_up || is_helper(&exchange.request))
}

/// The target of a request, without its query.
pub(super) fn place(exchange: &Exchange) -> String {
    let request = &exchange.request;
    let path = request.path.split(['?', '#']).next().expect("a split has a first part");
    format!("`{} {}{path}` (number {})", request.method, request.origin, exchange.id)
}

/// Messages for connections that bypassed the recorder.
pub(super) fn bypassed(all: &[Bypass]) -> Vec<String> {
    let told = all.iter().take(LISTED);
    told.map(|bypass| {
        let Bypass { program, pid, to, reason } = bypass;
        format!("`{program}` (process {pid}) bypassed the recorder to reach {to}: {reason}")
    })
    .collect()
}

/// Whether a recording of this kind contains such exchanges.
pub(super) fn belongs(holds: RecordedCase, exchange: &Exchange) -> bool {
    holds == RecordedCase::World
        || exchange.chatter
        || exchange.request.speaks.is_some()
        || is_helper(&exchange.request)
}
