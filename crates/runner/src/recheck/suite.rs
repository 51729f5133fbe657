//! Evaluates the checks of a suite on a stored run.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use agentci_checks::ReadyCase;
use agentci_dataset::RowCursor;
use agentci_exchange::Clock;
use agentci_plan::{Case, CasePosition, Cases, Mode, positions};
use agentci_verdict::{
    Body, CaseEnd, CaseRecheck, CaseStatus, Finding, NotRechecked, RunEnd, RunEvent, RunRecheck, RunStart,
    StabilitySummary, settle,
};
use tokio::sync::mpsc::Receiver;

use super::attempt::recheck;
use super::cases::{MatchedCases, StoredCase};
use super::obstacle::{CASE, not_rechecked};
use crate::attempt::beginning;
use crate::event_sink::EventSink;
use crate::job::CaseJob;
use crate::pending::NextCase;
use crate::redact::suite_secrets;
use crate::run::RunPlan;
use crate::services::ToolServer;
use crate::suite_run::SuiteRun;

/// A stored run, without what happened in its cases.
#[derive(Debug, Clone, Default)]
pub struct StoredRun {
    /// Its name in messages.
    pub name: String,
    /// Its first event, with the time in Unix milliseconds.
    pub start: (u64, RunStart),
    /// Its last event; absent if the run was killed.
    pub end: Option<(u64, RunEnd)>,
    /// The cases with a result.
    pub cases: Vec<StoredCase>,
}

/// An attempt of a stored run.
#[derive(Debug, Clone)]
pub struct StoredAttempt {
    /// The number of the attempt, from 1.
    pub attempt: u32,
    /// Its lines before the last one.
    pub lines: Vec<RunEvent>,
    pub end: Arc<CaseEnd>,
    /// When it ended, in Unix milliseconds.
    pub ended_at: u64,
}

struct RecheckedCases<'f> {
    matched: MatchedCases,
    cases: Cases,
    ready: Vec<ReadyCase>,
    /// All cases of the suite; a position is a place in this list.
    all: Vec<CasePosition>,
    /// The number of each case among the results, by position.
    indices: HashMap<usize, usize>,
    rows: RefCell<RowCursor<'f>>,
    /// The number of attempts and the worst status, by the position in the suite.
    results: BTreeMap<usize, (u32, CaseStatus)>,
}

/// Evaluates the checks of a suite on the attempts of a stored run, in the order they arrive, and emits the events of
/// the run with the new results. Returns the worst status of all cases, and at least a failure if a gate failed.
pub async fn recheck_suite(
    mut run: RunPlan<'_>,
    stored: &StoredRun,
    attempts: &mut Receiver<StoredAttempt>,
    emit: &mut dyn FnMut(RunEvent),
) -> CaseStatus {
    let emit = RefCell::new(emit);
    let out = |event| (emit.borrow_mut())(event);
    let secrets = suite_secrets(run.suite, &run.cases, run.options.secrets);
    let events = EventSink::new(&run.suite.name, secrets.clone(), true, &out);
    let suite_run = SuiteRun::start(&run, &Clock::start(), secrets, &events, ToolServer::absent());
    let (started_at, start) = &stored.start;
    let is_part = start.cases_left_out > 0 || start.shard.is_some();
    let mut cases = RecheckedCases::new(&mut run, stored, start.shard.is_some());
    let added = std::mem::take(&mut cases.matched.added);
    events.of_run(
        *started_at,
        Body::RunStart(Box::new(cases.start(&run, stored, if is_part { 0 } else { added.len() }))),
    );
    let mut worst = CaseStatus::Pass;
    while let Some(attempt) = attempts.recv().await {
        let Some(position) = cases.matched.positions.get(&attempt.end.index).copied() else { continue };
        let Some(next) = cases.next(position) else { continue };
        let status = Box::pin(recheck(&CaseJob::new(&suite_run, &next), &attempt, start.embedder.as_deref())).await;
        let result = cases.results.entry(position).or_insert((0, CaseStatus::Pass));
        *result = (result.0 + 1, result.1.max(status));
        worst = worst.max(status);
    }
    suite_run.shared.evidence.close().await;
    let missing = cases.missing(&run, stored, if is_part { &[] } else { &added });
    let ended_at = stored.end.as_ref().map_or(*started_at, |(at, _)| *at);
    for MissingAttempt { position, attempt, reason } in missing {
        let Some(next) = cases.next(position) else { continue };
        worst = worst.max(lack(&CaseJob::new(&suite_run, &next), attempt, ended_at, reason));
    }
    conclude(&run, stored, &events, worst, is_part)
}

/// An attempt that a run would make and the stored run does not have.
struct MissingAttempt {
    position: usize,
    attempt: u32,
    reason: String,
}

impl<'f> RecheckedCases<'f> {
    fn new(run: &mut RunPlan<'f>, stored: &StoredRun, is_shard: bool) -> Self {
        let all: Vec<CasePosition> = positions(&run.cases).collect();
        let matched = MatchedCases::new(&stored.cases, &run.cases, &all);
        let of_position: HashMap<usize, usize> = matched.positions.iter().map(|(index, at)| (*at, *index)).collect();
        let mut next = stored.cases.len().max(matched.positions.len());
        let (cases, ready) = (std::mem::take(&mut run.cases), std::mem::take(&mut run.ready));
        let mut indices = HashMap::new();
        for position in 0..all.len() {
            let index = match of_position.get(&position) {
                // The positions in a shard are those among all shards.
                Some(index) if is_shard => *index,
                Some(_) => matched.rank(position),
                None => {
                    next += 1;
                    next - 1
                }
            };
            indices.insert(position, index);
        }
        let rows = RefCell::new(RowCursor::new(run.options.files));
        Self { matched, cases, ready, all, indices, rows, results: BTreeMap::new() }
    }

    /// The case at a position, with its row.
    fn next(&self, position: usize) -> Option<NextCase> {
        let CasePosition { case, row } = *self.all.get(position)?;
        let (written, ready) = (self.cases.get(case as usize)?, self.ready.get(case as usize)?);
        let case = match &written.data {
            Some(data) => written.at_row(row as usize, self.rows.borrow_mut().read(&data.dataset, row as usize)),
            None => Case::clone(written),
        };
        Some(NextCase { case: Box::new(case), ready: ready.clone(), index: *self.indices.get(&position)? })
    }

    /// The first event of the recheck.
    fn start(&self, run: &RunPlan<'_>, stored: &StoredRun, added: usize) -> RunStart {
        let start = &stored.start.1;
        RunStart {
            cases_total: self.matched.positions.len() + added,
            suite_path: run.suite.path.display().to_string(),
            dialect: run.suite.dialect.name().into(),
            run_id: Some(&run.facts.run_id).filter(|id| !id.is_empty()).unwrap_or(&start.run_id).clone(),
            not_loaded: run.facts.not_loaded.clone(),
            recheck: Some(RunRecheck {
                run: stored.name.clone(),
                suite: run.suite.path.display().to_string(),
                removed: self.matched.removed.clone(),
            }),
            ..start.clone()
        }
    }

    /// The attempts that a run of the suite would make and the stored run lacks. What failed needs no more attempts.
    fn missing(&self, run: &RunPlan<'_>, stored: &StoredRun, added: &[usize]) -> Vec<MissingAttempt> {
        let mut missing: Vec<MissingAttempt> = Vec::new();
        let none = |position: &usize| MissingAttempt {
            position: *position,
            attempt: 1,
            reason: format!("the stored run has no result for this case of `{}`", run.suite.path.display()),
        };
        missing.extend(added.iter().map(none));
        let of_flag = stored.start.1.options.get("runs").and_then(serde_json::Value::as_u64);
        for (position, (made, worst)) in &self.results {
            let Some(case) = self.all.get(*position).and_then(|at| self.cases.get(at.case as usize)) else { continue };
            // How often a case is repeated until it is decided depends on the results.
            let of_suite = case.repeats.as_ref().map_or(case.runs, |repeats| repeats.min);
            let wanted = of_flag.and_then(|runs| u32::try_from(runs).ok()).unwrap_or(of_suite);
            if case.skip.is_none() && *worst == CaseStatus::Pass && *made < wanted {
                let reason = format!("the stored run has {made} of {wanted} runs of this case");
                missing.push(MissingAttempt { position: *position, attempt: made + 1, reason });
            }
        }
        missing.sort_by_key(|attempt| attempt.position);
        missing
    }
}

/// Emits the end of an attempt that the stored run lacks.
fn lack(job: &CaseJob<'_>, attempt: u32, ended_at: u64, reason: String) -> CaseStatus {
    let mut end = CaseEnd { runs: 1, ..beginning(job) };
    if job.case.skip.is_some() {
        end.status = CaseStatus::Skipped;
        end.skip_reason = job.case.skip.as_ref().and_then(|skip| skip.reason.as_deref().map(Into::into));
    } else {
        let finding = not_rechecked(&reason).at(job.place(job.case.span), "").help("run the agent on this case");
        end.findings = vec![Finding { name: CASE.into(), ..finding }];
        (end.status, end.cause) = settle(&end.findings);
        let not_rechecked = vec![NotRechecked { name: CASE.into(), turn: None, reason }];
        end.recheck = Some(Box::new(CaseRecheck { not_rechecked, ..CaseRecheck::default() }));
    }
    let status = end.status;
    job.run.events.of_attempt((&job.case_id, attempt), ended_at, Body::CaseEnd(Arc::new(end)), &job.secrets);
    status
}

/// Evaluates the gates and emits the end of the run.
fn conclude(
    run: &RunPlan<'_>,
    stored: &StoredRun,
    events: &EventSink<'_>,
    mut worst: CaseStatus,
    is_part: bool,
) -> CaseStatus {
    let start = &stored.start.1;
    let (ended_at, end) =
        stored.end.clone().unwrap_or((stored.start.0, RunEnd { interrupted: true, ..RunEnd::default() }));
    let stability = StabilitySummary::of_several(&events.rows());
    if let Some(policy) = run.policy {
        let rows = events.rows();
        let sound = start.mode != Mode::Record.name() && !end.interrupted && rows.all_run();
        let mut report = if start.shard.is_some() {
            policy.put_off(&rows, sound)
        } else {
            policy.judge(&run.suite.name, &start.mode, &rows, !is_part && !end.interrupted)
        };
        drop(rows);
        worst = report.decide(worst, sound);
        events.of_run(ended_at, Body::Gates(Box::new(report)));
    }
    events.of_run(ended_at, Body::RunEnd(RunEnd { not_run: 0, stability, ..end.clone() }));
    if end.interrupted {
        worst = worst.max(CaseStatus::Error);
    }
    if start.require_agent && events.lacks_agent() { worst.max(CaseStatus::Fail) } else { worst }
}
