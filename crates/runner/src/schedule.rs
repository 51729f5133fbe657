//! Schedules cases: lanes, and the order in which they take cases.

use std::cell::RefCell;

use agentci_exchange::Clock;
use agentci_plan::{Mode, case_count};
use agentci_verdict::{Body, CaseStatus, RunEnd, RunEvent, StabilitySummary};
use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;

use crate::attempt::attempts;
use crate::budget::Budget;
use crate::event_sink::EventSink;
use crate::job::CaseJob;
use crate::pending::{CaseTally, PendingCases};
use crate::redact::suite_secrets;
use crate::run::{RunFacts, RunPlan};
use crate::run_start::run_start;
use crate::services::ToolServer;
use crate::suite_run::SuiteRun;

/// Runs the selected cases of a suite. Events are emitted as they happen, so events of concurrent cases are
/// interleaved; each names its case. Returns the worst status of all cases, and at least a failure if a gate failed.
pub async fn run_suite(mut run: RunPlan<'_>, emit: &mut dyn FnMut(RunEvent)) -> CaseStatus {
    let clock = Clock::start();
    // All lanes send to one `FnMut` consumer; a consumer never sends events itself.
    let emit = RefCell::new(emit);
    let out = |event| (emit.borrow_mut())(event);
    let secrets = suite_secrets(run.suite, &run.cases, run.options.secrets);
    let keeps_rows = run.policy.is_some() || run.written().any(|case| case.runs > 1);
    let events = EventSink::new(&run.suite.name, secrets.clone(), keeps_rows, &out);
    let tools = ToolServer::start(&run).await;
    let start = run_start(&run, tools.for_running_agents());
    events.of_run(clock.now().unix_ms, Body::RunStart(Box::new(start)));
    let suite_run = SuiteRun::start(&run, &clock, secrets, &events, tools);
    let (all_selected, lanes) = (run.selected.len() == case_count(&run.cases), run.lanes());
    let pending = PendingCases::new(&mut run);
    let stored = resume(&suite_run, run.facts, &pending).await;
    in_lanes(lanes, async || take_cases(&suite_run, &pending).await).await;
    let mut tally = pending.tally();
    drop(pending);
    tally.worst = tally.worst.max(stored);
    // The end that was held back may be worse than all ends emitted so far.
    suite_run.shared.agents.stop().await;
    suite_run.shared.evidence.close().await;
    let held = suite_run.shared.held.tell(&events);
    tally.worst = tally.worst.max(held.unwrap_or(CaseStatus::Pass));
    conclude(&run, &events, &clock, tally, all_selected)
}

/// Emits the events of the cases that an earlier run has finished, if this one continues it. Returns their worst status.
async fn resume(run: &SuiteRun<'_>, facts: &RunFacts, pending: &PendingCases<'_>) -> CaseStatus {
    let Some(finished) = &facts.finished else { return CaseStatus::Pass };
    match finished.emit(run).await {
        Ok(worst) => worst,
        Err(reason) => {
            let _ = finished.trouble.set(reason);
            pending.left_unfinished();
            CaseStatus::Error
        }
    }
}

/// Runs `count` lanes concurrently until all of them are done.
async fn in_lanes(count: usize, lane: impl AsyncFn()) {
    if count == 1 {
        // `FuturesUnordered` with a single future wakes itself twice per event.
        Box::pin(lane()).await;
    } else {
        let mut lanes: FuturesUnordered<_> = (0..count).map(|_| lane()).collect();
        while lanes.next().await.is_some() {}
    }
}

/// A lane: runs one case after another. The memory of a running case is needed once per lane, not once per case.
async fn take_cases(run: &SuiteRun<'_>, pending: &PendingCases<'_>) {
    while let Some(next) = pending.next() {
        let job = CaseJob::new(run, &next);
        pending.ended(attempts(&job, pending).await);
    }
}

/// Emits the end of the run and returns the status of the run.
fn conclude(
    run: &RunPlan<'_>,
    events: &EventSink<'_>,
    clock: &Clock,
    tally: CaseTally,
    all_selected: bool,
) -> CaseStatus {
    let RunPlan { suite, facts, options, stop, .. } = *run;
    let CaseTally { mut worst, not_run, unfinished, .. } = tally;
    let now = clock.now();
    let stability = StabilitySummary::of_several(&events.rows());
    let wall_us = now.offset_us;
    let budget = options.settings.budget.as_deref();
    let ceiling = budget.and_then(Budget::reached).filter(|_| not_run > 0 || unfinished > 0);
    let unobserved_cost = budget.filter(|budget| budget.limits_cost()).map_or(0, |budget| budget.spent().unobserved);
    let end = RunEnd {
        wall_ms: wall_us / 1000,
        wall_us,
        interrupted: stop.stopped(),
        not_run,
        unfinished,
        ceiling,
        unobserved_cost,
        stability,
    };
    let is_whole = end.is_whole();
    if let Some(policy) = run.policy {
        let whole = all_selected && is_whole;
        let rows = events.rows();
        // A failed recording would be missing in later replays.
        let sound = is_whole && options.mode != Mode::Record && rows.all_run();
        // A single shard looks like a run with missing cases, so gates are evaluated for all shards together.
        let mut report = if facts.shard.is_some() {
            policy.put_off(&rows, sound)
        } else {
            policy.judge(&suite.name, options.mode.name(), &rows, whole)
        };
        drop(rows);
        worst = report.decide(worst, sound);
        events.of_run(now.unix_ms, Body::Gates(Box::new(report)));
    }
    events.of_run(now.unix_ms, Body::RunEnd(end.clone()));
    if unfinished > 0 || end.ceiling.is_some() {
        worst = worst.max(CaseStatus::Error);
    }
    if options.settings.require_agent && events.lacks_agent() { worst.max(CaseStatus::Fail) } else { worst }
}
