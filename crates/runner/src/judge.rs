//! Evaluates the checks of a turn or of a whole case.

use std::sync::Arc;
use std::time::Duration;

use agentci_checks::ReadyCheck;
use agentci_plan::{Check, StopRule};
use agentci_trace::Trace;
use agentci_verdict::{Body, Cause, CheckEnd, CheckStatus, Finding, Outcome, Similarity};
use serde_json::Value;

use crate::evidence::{self, Unanswered};
use crate::{attempt::Attempt, findings, suite_run::SuiteDeadline, trace_limits};

/// How many characters of a check's arguments reports show.
const ARGUMENTS_SHOWN: usize = 120;

/// The results of an attempt's checks.
#[derive(Debug, Default)]
pub(crate) struct JudgedAttempt {
    /// The number of failed checks.
    pub(crate) failed: usize,
    pub(crate) similarities: Vec<Similarity>,
    pub(crate) warnings: Vec<String>,
    /// The time that workers spent evaluating them.
    evaluated: Duration,
}

impl JudgedAttempt {
    /// Evaluates checks and emits the result of each; returns the findings of those that failed. If something else
    /// failed before, none is evaluated.
    pub(crate) async fn judge(
        &mut self,
        attempt: &Attempt<'_>,
        checks: &[ReadyCheck],
        trace: &Trace,
        before: Option<Cause>,
        turn: Option<u32>,
    ) -> Vec<Finding> {
        let mut found = Vec::new();
        let mut stopped = before.map(ended_before);
        let bytes = if checks.is_empty() { 0 } else { trace_limits::bytes(trace) };
        for ready in checks {
            let judged = match &stopped {
                Some(reason) => Ok((Outcome::NotEvaluated(reason.clone()), None)),
                None => self.outcome(attempt, ready, trace, bytes).await,
            };
            match judged {
                Err(trouble) => {
                    if trouble.cause == Cause::Interrupted
                        || attempt.job.run.deadline.as_ref().is_some_and(SuiteDeadline::is_over)
                    {
                        stopped = Some(ended_before(trouble.cause));
                    }
                    let finding = unanswered(attempt, ready.check(), trouble);
                    found.push(Finding { turn, ..finding });
                }
                Ok((outcome, evidence)) => {
                    if outcome == Outcome::Held {
                        self.warn(ready.warnings(trace));
                    }
                    let finding = concluded(attempt, ready.check(), &outcome, evidence, stopped.is_some());
                    found.extend(finding.map(|finding| Finding { turn, ..finding }));
                    if attempt.job.case.stop == StopRule::FirstFailure && !found.is_empty() {
                        stopped = Some("an earlier check failed".into());
                    }
                }
            }
        }
        self.failed += found.len();
        found
    }

    /// Evaluates a check; returns its outcome and the evidence to keep.
    async fn outcome(
        &mut self,
        attempt: &Attempt<'_>,
        ready: &ReadyCheck,
        trace: &Trace,
        bytes: u64,
    ) -> Result<(Outcome, Option<Value>), Unanswered> {
        let (job, evidence) = (attempt.job, &attempt.job.run.shared.evidence);
        if let Some(question) = ready.question(trace) {
            let answer = Box::pin(evidence.answer(job, &mut self.evaluated, question)).await?;
            return Ok((ready.conclude(trace, &answer), Some(self.keep(ready, answer))));
        }
        if ready.may_take_long(bytes) {
            let outcome = Box::pin(evidence::evaluate(job, &mut self.evaluated, ready, trace)).await?;
            return Ok((outcome, None));
        }
        Ok((ready.evaluate(trace), None))
    }

    /// Adds warnings without duplicates.
    fn warn(&mut self, warnings: Vec<String>) {
        for warning in warnings {
            if !self.warnings.contains(&warning) {
                self.warnings.push(warning);
            }
        }
    }

    /// Records similarities and warnings of an answer, and returns the evidence to keep.
    fn keep(&mut self, ready: &ReadyCheck, answer: Value) -> Value {
        let kept = ready.keep(answer);
        self.similarities.extend(kept.similarity);
        self.warnings.extend(kept.warnings);
        kept.evidence
    }
}

fn ended_before(cause: Cause) -> String {
    format!("the case ended early: {}", cause.name())
}

/// Emits the result of a check whose question has no answer.
fn unanswered(attempt: &Attempt<'_>, check: &Check, trouble: Unanswered) -> Finding {
    attempt.emit(check_end(check, CheckStatus::Error, Some(trouble.message.clone()), None));
    Finding { name: check.name(), place: Some(attempt.job.place(check.kind.span)), ..*trouble }
}

/// Emits the result of a check; returns the finding if it failed. A check that was not evaluated although nothing
/// stopped it is a finding too.
fn concluded(
    attempt: &Attempt<'_>,
    check: &Check,
    outcome: &Outcome,
    evidence: Option<Value>,
    stopped: bool,
) -> Option<Finding> {
    let (status, message) = match outcome {
        Outcome::Held => (CheckStatus::Held, None),
        Outcome::Failed(failure) => (CheckStatus::Failed, Some(failure.message.clone())),
        Outcome::Error(failure) => (CheckStatus::Error, Some(failure.message.clone())),
        Outcome::NotEvaluated(reason) => (CheckStatus::NotEvaluated, Some(reason.clone())),
    };
    attempt.emit(check_end(check, status, message, evidence));
    let sources = attempt.job.run.sources;
    if let Outcome::NotEvaluated(reason) = outcome
        && !stopped
    {
        return Some(findings::not_evaluated(check, reason, sources));
    }
    findings::check(check, outcome, sources)
}

fn check_end(check: &Check, status: CheckStatus, message: Option<String>, evidence: Option<Value>) -> Body {
    let evidence = evidence.map(Arc::new);
    let shown = || Some(check.arguments.summary(ARGUMENTS_SHOWN)).filter(|line| !check.invalid && !line.is_empty());
    let subject = check.subject().map(Into::into).or_else(shown);
    Body::Check(CheckEnd { name: check.name(), subject, status, message, evidence })
}
