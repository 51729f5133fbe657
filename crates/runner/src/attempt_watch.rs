//! Watches what an agent does: emits events, counts limits, and stops the agent at the first reason to do so.

use std::cell::RefCell;
use std::ops::ControlFlow;

use agentci_plan::Turn;
use agentci_trace::{CallChange, Event, EventKind, Joiner, Observer};
use agentci_verdict::{Body, Finding};

use crate::meter::{Meter, Meters};
use crate::spending::AttemptSpending;
use crate::{attempt::Attempt, job::CaseJob, tool_host::allowed, trace_limits::Volume, translate};

/// Watches one conversation with an agent.
pub(crate) struct ConversationWatch<'w> {
    attempt: &'w Attempt<'w>,
    /// For a whole turn a driver holds both the sink that it writes to and the tool host that it asks, and both report
    /// reasons to stop here. Nothing is awaited while this is borrowed.
    seen: RefCell<WatchedCall<'w>>,
}

struct WatchedCall<'w> {
    meters: Meters<'w>,
    volume: Volume,
    spending: AttemptSpending,
    found: Vec<Finding>,
}

impl<'w> ConversationWatch<'w> {
    pub(crate) fn new(attempt: &'w Attempt<'w>) -> Self {
        let job = attempt.job;
        let of_case = Meter::of_case(&job.case.limits, job.run.sources, job.secrets.brought());
        let (volume, spending, found) = Default::default();
        let seen = WatchedCall { meters: Meters::new(of_case), volume, spending, found };
        Self { attempt, seen: RefCell::new(seen) }
    }

    /// Begins a turn, which has its own limits.
    pub(crate) fn begin(&self, number: u32, turn: &'w Turn) {
        let of_turn = Meter::of_turn(&turn.limits, self.attempt.job.run.sources);
        self.seen.borrow_mut().meters.turn = Some((number, of_turn));
    }

    /// Records something that the agent did, and returns whether it may continue.
    pub(crate) fn saw(&self, event: &Event) -> ControlFlow<()> {
        if let Some(mut body) = translate::translate(event, &self.attempt.job.case_id) {
            if let Body::TaskStart(start) = &mut body {
                start.definition = self.attempt.job.definition();
            }
            self.attempt.emit_at(event.at.unix_ms, body);
        }
        if translate::tells_turns(&self.attempt.job.case.target)
            && let Some(body) = translate::first_turn(event)
        {
            self.attempt.emit_at(event.at.unix_ms, body);
        }
        let WatchedCall { meters, volume, spending, found } = &mut *self.seen.borrow_mut();
        spending.count(self.attempt.job, event);
        let mut reasons = reasons_to_stop(self.attempt.job, meters, event);
        if reasons.is_empty() {
            reasons.extend(volume.count(event));
        }
        let stop = !reasons.is_empty() || meters.over;
        found.extend(reasons);
        if stop { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// Records findings.
    pub(crate) fn find(&self, found: impl IntoIterator<Item = Finding>) {
        self.seen.borrow_mut().found.extend(found);
    }

    /// Revises the findings so far, and returns whether there are any.
    pub(crate) fn review(&self, change: impl FnOnce(&mut Vec<Finding>)) -> bool {
        let found = &mut self.seen.borrow_mut().found;
        change(found);
        !found.is_empty()
    }

    /// All findings, and the usage of the case.
    pub(crate) fn conclude(self) -> (Vec<Finding>, Meter<'w>) {
        let WatchedCall { meters, found, spending, .. } = self.seen.into_inner();
        spending.conclude(self.attempt.job);
        (found, meters.conclude())
    }
}

/// The reasons to stop the agent after an event: a call that is not allowed, or an exceeded limit.
fn reasons_to_stop(job: &CaseJob<'_>, meters: &mut Meters<'_>, event: &Event) -> Vec<Finding> {
    let changes = meters.joiner.take(event);
    let refused = if let EventKind::ToolCall(call) = &event.kind
        && call.observer == Observer::Stub
    {
        // This is the call the agent made, whatever its model requested.
        allowed(&job.case.world, job.run.sources, call).err().map(|finding| *finding)
    } else {
        not_allowed(job, &meters.joiner, &changes)
    };
    match refused {
        Some(finding) => vec![finding],
        None => meters.count(event, &changes),
    }
}

/// Why a call that the model requested is not allowed. A call that only the protocol reports is refused by the tool
/// host.
fn not_allowed(job: &CaseJob<'_>, joiner: &Joiner, changes: &[CallChange]) -> Option<Finding> {
    let listed = job.case.world.allowed.as_ref()?;
    changes.iter().find_map(|change| {
        let CallChange::Counts(number) = *change else { return None };
        let may = joiner.goes_by(number, |name| listed.iter().any(|allowed| allowed.value == name));
        let call = joiner.decisive(number).filter(|_| joiner.was_requested(number) && !may)?;
        allowed(&job.case.world, job.run.sources, call).err().map(|finding| *finding)
    })
}
