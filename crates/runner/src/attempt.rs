//! One attempt at a case: opens what it needs, converses, closes and judges.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use agentci_exchange::Clock;
use agentci_plan::Combination;
use agentci_source::Name;
use agentci_verdict::{AssertionCount, AxisSetting, Body, CaseCombination, CaseEnd, CaseStatus, Cause, settle};
use tokio::time::Instant;

use crate::account::Account;
use crate::converse::converse;
use crate::findings;
use crate::job::CaseJob;
use crate::pending::PendingCases;
use crate::recheck::StoredChecks;
use crate::repeats::plan_next;
use crate::retries::Retries;
use crate::services::{DeferredEnd, LateToolCalls};
use crate::setup_error::SetupError;
use crate::stage::{PreparedAttempt, Stage, prepare};
use crate::stored_trace::trace_end;
use crate::suite_run::SuiteDeadline;
use crate::variables::VariableScope;

pub(crate) struct Attempt<'a> {
    /// The case, its secrets, and its run.
    pub(crate) job: &'a CaseJob<'a>,
    /// The number of the attempt, from 1.
    pub(crate) number: u32,
    /// Restarted when the agent is started, so that preparation does not count as the agent's time.
    pub(crate) clock: Clock,
    pub(crate) variables: VariableScope<'a>,
    /// The stored attempt that this is a recheck of.
    pub(crate) stored: Option<StoredChecks>,
}

impl<'a> Attempt<'a> {
    pub(crate) fn new(job: &'a CaseJob<'a>, number: u32) -> Self {
        let variables = VariableScope::new(job.case, job.run.options.environment);
        Self { job, number, clock: Clock::start(), variables, stored: None }
    }

    /// A lookup for the variables of the attempt.
    pub(crate) fn lookup(&self) -> impl Fn(&str) -> Option<String> {
        |name| self.variables.get(name)
    }

    /// Emits an event that happens now.
    pub(crate) fn emit(&self, body: Body) {
        let now = self.stored.as_ref().map_or_else(|| self.clock.now().unix_ms, |stored| stored.ended_at);
        self.emit_at(now, body);
    }

    /// Emits an event with this Unix time in milliseconds.
    pub(crate) fn emit_at(&self, timestamp: u64, body: Body) {
        self.stored.iter().for_each(|stored| stored.saw(&body));
        self.job.run.events.of_attempt((&self.job.case_id, self.number), timestamp, body, &self.job.secrets);
    }
}

/// How an attempt ended.
struct AttemptEnd {
    end: CaseEnd,
    /// Whether its agent was unreachable or busy, so that a retry may pass.
    may_pass: bool,
    /// Tool calls that arrive after the end, if the agent is still running.
    late: Option<LateToolCalls>,
}

/// Runs a case as often as configured. Returns the worst status, or `None` if the case was not started.
pub(crate) async fn attempts(job: &CaseJob<'_>, pending: &PendingCases<'_>) -> Option<CaseStatus> {
    let mut worst = None;
    let mut was_cut = false;
    let mut runs = if job.case.skip.is_some() { 1 } else { job.case.runs.max(1) };
    let (mut number, mut made) = (0, 0);
    while number < runs {
        number += 1;
        let gives_up = job.run.options.settings.fail_fast && pending.tally().failed && worst.is_none();
        let overspent = job.run.options.settings.budget.as_ref().is_some_and(|budget| budget.exceeded().is_some());
        if job.run.stop.stopped() || gives_up || overspent {
            break;
        }
        let (status, planned, cut) = with_retries(job, number).await;
        runs = planned;
        was_cut |= cut;
        made = number;
        pending.attempted(status);
        worst = worst.max(Some(status));
    }
    if worst.is_some() && (was_cut || made < runs) {
        pending.left_unfinished();
    }
    worst
}

/// Runs a case once, and retries it while its agent is unreachable or busy and retries are left. Returns its status and
/// the number of runs, as far as known, and whether it was cut.
async fn with_retries(job: &CaseJob<'_>, number: u32) -> (CaseStatus, u32, bool) {
    let mut retries = Retries::new(job.run.options.settings.retries);
    loop {
        let mut attempt = Attempt::new(job, number);
        let mut ended = run(&mut attempt).await;
        let wait = if ended.may_pass && !job.run.stop.stopped() { retries.next() } else { None };
        if let (Some(wait), Some(finding)) = (wait, ended.end.findings.first()) {
            attempt.emit(retries.failed(&finding.message, wait));
            if waited(job, wait).await {
                continue;
            }
        }
        ended.end.warnings.extend(retries.summary(ended.end.passed));
        plan_next(job, number, &mut ended.end);
        let (planned, cut) = (ended.end.runs, ended.end.was_cut());
        return (tell(&attempt, ended), planned, cut);
    }
}

/// Waits, and returns whether there is still time to continue.
async fn waited(job: &CaseJob<'_>, wait: Duration) -> bool {
    let in_time = job.run.deadline.is_none_or(|deadline| deadline.at > Instant::now() + wait);
    if !in_time {
        return false;
    }
    tokio::select! {
        biased;
        () = job.run.stop.wait() => false,
        () = tokio::time::sleep(wait) => true,
    }
}

/// Emits the end of an attempt, or holds it back while its agent may still call a tool. Returns the worse of this
/// status and the status that was held back before.
fn tell(attempt: &Attempt<'_>, ended: AttemptEnd) -> CaseStatus {
    let AttemptEnd { mut end, late, .. } = ended;
    let (status, held) = (end.status, &attempt.job.run.shared.held);
    // The previous case gets no more calls of its own.
    let before = held.tell(attempt.job.run.events);
    let printed = end.stderr_tail.clone();
    if end.passed {
        end.stderr_tail.clear();
    }
    match late {
        None => attempt.emit(Body::CaseEnd(Arc::new(end))),
        Some(late) => {
            let (timestamp, secrets) = (attempt.clock.now().unix_ms, attempt.job.secrets.clone());
            held.hold(DeferredEnd { attempt: attempt.number, timestamp, end, printed, late, secrets });
        }
    }
    status.max(before.unwrap_or(CaseStatus::Pass))
}

/// Runs a case once.
async fn run(attempt: &mut Attempt<'_>) -> AttemptEnd {
    let job = attempt.job;
    let mut end = beginning(job);
    if let Some(skip) = &job.case.skip {
        end.status = CaseStatus::Skipped;
        end.runs = 1;
        end.skip_reason = skip.reason.as_deref().map(Into::into);
        return AttemptEnd { end, may_pass: false, late: None };
    }
    let (may_pass, late) = match prepare_in_time(attempt).await {
        Err(SetupError { findings, stderr_tail }) => {
            attempt.clock = Clock::start();
            let may_pass = findings.first().is_some_and(|finding| finding.cause == Cause::Unreachable);
            end.findings = findings;
            end.stderr_tail = stderr_tail;
            (may_pass, None)
        }
        Ok(prepared) => {
            let account = perform(attempt, prepared).await;
            let may_pass = account.may_pass;
            (may_pass, account.settle(attempt, &mut end))
        }
    };
    Box::pin(job.run.shared.agents.end(job, attempt.number)).await;
    (end.status, end.cause) = settle(&end.findings);
    end.passed = end.status == CaseStatus::Pass;
    AttemptEnd { end, may_pass, late }
}

/// Opens what was prepared, converses with the agent, closes everything and judges.
async fn perform(attempt: &mut Attempt<'_>, prepared: PreparedAttempt) -> Account {
    let (mut stage, filled) = Stage::open(attempt, prepared).await;
    let mut account = Account::new(&mut stage);
    converse(attempt, &filled, &mut stage, &mut account).await;
    stage.close(attempt, &mut account).await;
    let judged = std::mem::take(&mut account.judged);
    attempt.emit(Body::TraceEnd(trace_end(&account.trace, judged)));
    account.judge(attempt, &filled.checks).await;
    account
}

/// Prepares an attempt, unless the suite timed out or the run is stopped in the meantime: hooks may take long.
async fn prepare_in_time(attempt: &mut Attempt<'_>) -> Result<PreparedAttempt, SetupError> {
    let run = attempt.job.run;
    if let Some(deadline) = run.deadline.filter(SuiteDeadline::is_over) {
        return Err(findings::suite_timeout(deadline.after, deadline.flag).into());
    }
    if run.stop.stopped() {
        return Err(findings::interrupted().into());
    }
    let mut preparing = pin!(prepare(attempt));
    // Most cases are prepared without waiting, so the stop signal is polled last.
    tokio::select! {
        biased;
        prepared = &mut preparing => prepared,
        () = run.stop.wait() => Err(findings::interrupted().into()),
    }
}

/// The end of a case as far as it is known before it runs.
pub(crate) fn beginning(job: &CaseJob<'_>) -> CaseEnd {
    let total = job.ready.checks.len() + job.ready.turns.iter().map(|checks| checks.len()).sum::<usize>();
    CaseEnd {
        id: Arc::clone(&job.case_id),
        index: job.index,
        runs: job.case.runs,
        description: job.case.description.clone(),
        tags: job.case.tags.to_vec(),
        combination: job.case.combination.as_deref().map(|combination| Box::new(combination_of(combination))),
        place: Some(job.run.sources.spot(job.case.span)),
        assertions: AssertionCount { total, failed: 0 },
        input: job.case.asked.as_deref().cloned().map(Box::new),
        expected: job.case.expected.as_deref().cloned().map(Box::new),
        metadata: job.case.metadata.as_deref().cloned().map(Box::new),
        ..CaseEnd::default()
    }
}

fn combination_of(combination: &Combination) -> CaseCombination {
    let axes = combination.axes.iter();
    let setting = |(axis, value): &(Name, Name)| AxisSetting { axis: axis.to_string(), value: value.to_string() };
    CaseCombination { of: combination.of.to_string(), axes: axes.map(setting).collect() }
}
