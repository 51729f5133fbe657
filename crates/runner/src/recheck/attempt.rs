//! Evaluates the checks of a case on one stored attempt.

use std::sync::Arc;
use std::time::Duration;

use agentci_plan::StopRule;
use agentci_trace::Trace;
use agentci_verdict::{
    AssertionCount, Body, CaseEnd, CaseRecheck, CaseStatus, Cause, CheckEnd, CheckStatus, Finding, NotRechecked,
    RunEvent, TraceEnd, check_changes, settle,
};
use serde_json::Value;

use super::case_input::{FixedVariables, changed_turn, fill};
use super::obstacle::{CASE, Obstacle, not_rechecked};
use super::stored_checks::{StoredChecks, is_of, is_redacted};
use super::suite::StoredAttempt;
use crate::account::Account;
use crate::attempt::{Attempt, beginning};
use crate::conclude::conclude;
use crate::filled_case::FilledCase;
use crate::job::CaseJob;
use crate::meter;
use crate::secret_sources::learn_written;
use crate::stage::refuse_invalid;
use crate::stored_trace::rebuild;

/// The stored attempt, in parts.
struct AttemptParts<'s> {
    /// The lines of earlier tries, if its agent was unreachable at first.
    earlier: &'s [RunEvent],
    /// The lines of the agent.
    lines: Vec<&'s RunEvent>,
    trace_end: Option<&'s TraceEnd>,
    checks: Vec<CheckEnd>,
    end: &'s CaseEnd,
}

impl<'s> AttemptParts<'s> {
    fn new(stored: &'s StoredAttempt) -> Self {
        let is_end = |line: &RunEvent| matches!(line.body, Body::TraceEnd(_));
        let last = stored.lines.iter().rposition(is_end);
        let begin = last.and_then(|last| stored.lines[..last].iter().rposition(is_end)).map_or(0, |end| end + 1);
        let (earlier, own) = stored.lines.split_at(begin);
        let trace_end = own.iter().find_map(|line| if let Body::TraceEnd(end) = &line.body { Some(end) } else { None });
        let check = |line: &RunEvent| if let Body::Check(check) = &line.body { Some(check.clone()) } else { None };
        let checks = own.iter().filter_map(check).collect();
        let lines = own.iter().filter(|line| !matches!(line.body, Body::Check(_))).collect();
        Self { earlier, lines, trace_end, checks, end: &stored.end }
    }

    /// Whether a finding was made after the checks of the case were evaluated.
    fn is_late(&self, finding: &Finding) -> bool {
        let evaluated = |check: &CheckEnd| check.turn.is_none() && check.status != CheckStatus::NotEvaluated;
        finding.cause == Cause::ModelNeverAsked || self.checks.iter().any(evaluated)
    }

    /// The inputs that the agent was sent, one for each turn.
    fn inputs(&self) -> Vec<Value> {
        let input = |line: &&RunEvent| match &line.body {
            Body::TaskStart(start) => Some(Value::clone(&start.input)),
            Body::TurnStart(start) if start.turn > 0 => Some(Value::clone(&start.input)),
            _ => None,
        };
        self.lines.iter().filter_map(input).collect()
    }
}

/// Evaluates the checks of a case on a stored attempt, and emits its lines with the new results. Returns the new
/// status. `index` is the position of the case in the report.
pub(super) async fn recheck(job: &CaseJob<'_>, stored: &StoredAttempt, embedder: Option<&str>) -> CaseStatus {
    learn_written(job);
    let parts = AttemptParts::new(stored);
    let mut attempt = Attempt::new(job, stored.attempt);
    attempt.stored = Some(stored_checks(&parts, stored.ended_at, embedder));
    for line in parts.earlier {
        attempt.emit_at(line.timestamp, line.body.clone());
    }
    let mut end = parts.end.clone();
    let present = beginning(job);
    (end.index, end.place, end.description, end.tags) = (job.index, present.place, present.description, present.tags);
    end.combination = present.combination;
    end.assertions = AssertionCount { failed: 0, ..present.assertions };
    if let Some(skip) = &job.case.skip {
        (end.findings, end.skip_reason) = (Vec::new(), skip.reason.as_deref().map(Into::into));
        (end.status, end.cause) = (CaseStatus::Skipped, None);
    } else {
        let findings = judge(&attempt, &parts, &mut end).await;
        end.findings = like_stored(findings, &parts.end.findings);
        (end.status, end.cause) = settle(&end.findings);
    }
    end.passed = end.status == CaseStatus::Pass;
    if end.passed {
        end.stderr_tail.clear();
    }
    end.recheck = Some(Box::new(changes(&attempt, &parts, &end)));
    let status = end.status;
    attempt.emit(Body::CaseEnd(Arc::new(end)));
    status
}

fn stored_checks(parts: &AttemptParts<'_>, ended_at: u64, embedder: Option<&str>) -> StoredChecks {
    let of_check = |finding: &&Finding| is_of_check(finding, &parts.checks);
    StoredChecks {
        ended_at,
        embedder: embedder.map(str::to_owned),
        is_redacted: parts.lines.iter().any(|line| lacks_a_value(&line.body)),
        checks: parts.checks.clone(),
        findings: parts.end.findings.iter().filter(of_check).cloned().collect(),
        kept: Vec::new().into(),
        emitted: Vec::new().into(),
    }
}

/// Whether a finding is about a check, not about the agent or its tools.
fn is_of_check(finding: &Finding, checks: &[CheckEnd]) -> bool {
    matches!(finding.cause, Cause::Check | Cause::Embedding | Cause::CheckTimeout | Cause::NotRechecked)
        || checks.iter().any(|check| is_of(finding, check))
}

/// Whether a line contains a placeholder instead of a secret.
fn lacks_a_value(body: &Body) -> bool {
    serde_json::to_value(body).is_ok_and(|body| is_redacted(&body))
}

/// Evaluates the checks of all turns and of the whole case, and emits the lines of the agent. Returns the findings.
async fn judge(attempt: &Attempt<'_>, parts: &AttemptParts<'_>, end: &mut CaseEnd) -> Vec<Finding> {
    let own: Vec<Finding> =
        parts.end.findings.iter().filter(|finding| !is_of_check(finding, &parts.checks)).cloned().collect();
    let (late, own): (Vec<Finding>, Vec<Finding>) = own.into_iter().partition(|finding| parts.is_late(finding));
    let (trace, filled) = match readable(attempt, parts, &own) {
        Ok(readable) => readable,
        Err(findings) => {
            parts.lines.iter().for_each(|line| attempt.emit_at(line.timestamp, line.body.clone()));
            return findings;
        }
    };
    let mut account = Account { trace, findings: own, wall: Duration::from_micros(end.micros()), ..Account::default() };
    account.metrics = end.metrics.clone();
    let is_sound = account.findings.is_empty();
    judge_turns(attempt, parts, &filled, &mut account).await;
    if is_sound {
        account.exceeded = meter::recount(attempt.job, &account.trace).1;
        conclude(attempt.job, &mut account);
    }
    account.judge(attempt, &filled.checks).await;
    let unasked = |finding: &Finding| finding.cause == Cause::ModelNeverAsked;
    let never_hidden = account.findings.is_empty();
    account.findings.extend(late.into_iter().filter(|finding| never_hidden || !unasked(finding)));
    if is_sound {
        account.left.has_model = attempt.job.case.world.model.is_some() && end.played.is_none();
        account.conclude_model(attempt.job);
    }
    end.assertions.failed = account.checks.failed;
    end.similarities = account.checks.similarities;
    end.scores = account.checks.scores;
    for warning in account.checks.warnings {
        if !end.warnings.contains(&warning) {
            end.warnings.push(warning);
        }
    }
    account.findings
}

/// The stored trace and the checks for it; fails with the findings if no check can be evaluated on it.
fn readable(
    attempt: &Attempt<'_>,
    parts: &AttemptParts<'_>,
    own: &[Finding],
) -> Result<(Trace, FilledCase), Vec<Finding>> {
    let job = attempt.job;
    refuse_invalid(job).map_err(|refused| refused.findings)?;
    let missing = |reason: &str| {
        let finding = not_rechecked(reason).help("run the agent again");
        let finding = finding.at(job.place(job.case.span), "");
        own.iter().cloned().chain([Finding { name: CASE.into(), ..finding }]).collect::<Vec<_>>()
    };
    if parts.end.status == CaseStatus::Skipped {
        return Err(missing("the case was skipped in the stored run"));
    }
    let Some(trace_end) = parts.trace_end else {
        // The agent was not reached, so there was nothing to check.
        return Err(if own.is_empty() { missing("the stored run does not contain its trace") } else { own.to_vec() });
    };
    let lines = parts.lines.iter().copied();
    let trace = rebuild(trace_end, lines).ok_or_else(|| missing("its stored trace is incomplete"))?;
    let variables = FixedVariables::of(job.case);
    if let Some(turn) = changed_turn(job, &parts.inputs(), &variables) {
        let of_turn = if job.case.turns.len() > 1 { format!(" of turn {}", turn + 1) } else { String::new() };
        return Err(missing(&format!("the input{of_turn} changed since the stored run")));
    }
    let turn_checks = job.ready.turns.iter().map(|checks| fill(job, checks, &variables)).collect::<Result<_, _>>()?;
    Ok((trace, FilledCase { inputs: Vec::new(), checks: fill(job, &job.ready.checks, &variables)?, turn_checks }))
}

/// Evaluates the checks of each turn where the stored run did, and emits the lines of the agent.
async fn judge_turns(attempt: &Attempt<'_>, parts: &AttemptParts<'_>, filled: &FilledCase, account: &mut Account) {
    let judged = parts.trace_end.map(|end| end.judged.as_slice()).unwrap_or_default();
    let stop = attempt.job.case.stop;
    let mut next = 0;
    let mut goes_on = true;
    for line in &parts.lines {
        let until = match &line.body {
            Body::TurnStart(start) => usize::try_from(start.turn).unwrap_or(usize::MAX).min(judged.len()),
            Body::TraceEnd(_) => judged.len(),
            _ => 0,
        };
        while next < until && goes_on {
            let turn = u32::try_from(next).unwrap_or(u32::MAX);
            let before = beginning_of(&account.trace, judged[next]);
            if account.judge_turn(attempt, filled.of_turn(next), &before, turn).await && stop != StopRule::Never {
                goes_on = false;
                // A run would have ended here.
                account.findings.retain(|finding| finding.turn.is_none_or(|other| other <= turn));
            }
            next += 1;
        }
        attempt.emit_at(line.timestamp, line.body.clone());
    }
    let turns = attempt.job.case.turns.len();
    if account.findings.is_empty() && judged.len() < turns {
        let reason = format!("the stored conversation ended before turn {} of {turns}", judged.len() + 1);
        let finding = not_rechecked(reason).help("run the agent again");
        let finding = finding.at(attempt.job.place(attempt.job.case.turns[judged.len()].span), "never run");
        account.findings.push(Finding { name: CASE.into(), ..finding });
    }
}

/// The trace as it was after this number of events.
fn beginning_of(trace: &Trace, events: usize) -> Trace {
    let mut beginning = Trace::default();
    trace.events().iter().take(events).for_each(|event| beginning.push(event.clone()));
    beginning
}

/// Takes the notes of findings that the stored run has as well, and their order: the run knew more about the agent.
fn like_stored(findings: Vec<Finding>, stored: &[Finding]) -> Vec<Finding> {
    let same =
        |a: &Finding, b: &Finding| (a.cause, &a.name, &a.message, a.turn) == (b.cause, &b.name, &b.message, b.turn);
    let mut free: Vec<usize> = (0..stored.len()).collect();
    let mut ordered: Vec<(usize, Finding)> = Vec::new();
    for finding in findings {
        let found = free.iter().position(|position| same(&stored[*position], &finding));
        ordered.push(match found.map(|found| free.remove(found)) {
            Some(position) => (position, Finding { place: finding.place, ..stored[position].clone() }),
            None => (usize::MAX, finding),
        });
    }
    ordered.sort_by_key(|(position, _)| *position);
    ordered.into_iter().map(|(_, finding)| finding).collect()
}

/// What the recheck changed.
fn changes(attempt: &Attempt<'_>, parts: &AttemptParts<'_>, end: &CaseEnd) -> CaseRecheck {
    let Some(stored) = &attempt.stored else { return CaseRecheck::default() };
    let left_out = |finding: &&Finding| finding.cause == Cause::NotRechecked;
    let not_rechecked = |finding: &Finding| NotRechecked {
        name: finding.name.clone(),
        turn: finding.turn,
        reason: finding.message.trim_start_matches(super::obstacle::PREFIX).to_owned(),
    };
    let kept = |(position, obstacle): &(usize, Obstacle)| NotRechecked {
        name: parts.checks[*position].name.clone(),
        turn: parts.checks[*position].turn,
        reason: obstacle.reason().to_owned(),
    };
    CaseRecheck {
        before: Some(parts.end.status),
        changes: check_changes(&parts.checks, &stored.emitted.borrow()),
        not_rechecked: end.findings.iter().filter(left_out).map(not_rechecked).collect(),
        kept: stored.kept.borrow().iter().map(kept).collect(),
    }
}
