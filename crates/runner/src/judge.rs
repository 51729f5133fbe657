//! Evaluates the checks of a turn or of a whole case.

use std::sync::Arc;
use std::time::Duration;

use agentci_checks::ReadyCheck;
use agentci_plan::StopRule;
use agentci_trace::Trace;
use agentci_verdict::{Body, Cause, CheckEnd, CheckScore, CheckStatus, Finding, Outcome, Similarity};
use serde_json::Value;

use crate::evidence::{self, EvidenceError};
use crate::recheck::{KeptCheck, stored_question};
use crate::secrets::Secrets;
use crate::{attempt::Attempt, findings, suite_run::SuiteDeadline, trace_limits};

/// How many characters of a check's arguments reports show.
const ARGUMENTS_SHOWN: usize = 120;

/// The results of an attempt's checks.
#[derive(Debug, Default)]
pub(crate) struct JudgedAttempt {
    /// The number of failed checks.
    pub(crate) failed: usize,
    pub(crate) similarities: Vec<Similarity>,
    pub(crate) scores: Vec<CheckScore>,
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
            let told = CheckRun { attempt, ready, turn };
            let judged = match &stopped {
                Some(reason) => Ok(Judged::new(Outcome::NotEvaluated(reason.clone()))),
                None => self.outcome(&told, trace, bytes).await,
            };
            match judged {
                Err(trouble) => {
                    if trouble.cause == Cause::Interrupted
                        || attempt.job.run.deadline.as_ref().is_some_and(SuiteDeadline::is_over)
                    {
                        stopped = Some(ended_before(trouble.cause));
                    }
                    found.push(told.unanswered(trouble));
                }
                Ok(Judged::Kept(kept)) => found.extend(self.take_kept(attempt, kept)),
                Ok(Judged::New { outcome, found: asked }) => {
                    if outcome == Outcome::Passed {
                        self.warn(ready.warnings(trace));
                    }
                    self.scores.extend(asked.score.clone());
                    found.extend(told.concluded(&outcome, asked, stopped.is_some()));
                }
            }
            if attempt.job.case.stop == StopRule::FirstFailure && !found.is_empty() && stopped.is_none() {
                stopped = Some("an earlier check failed".into());
            }
        }
        self.failed += found.len();
        found
    }

    /// Evaluates a check. A recheck may have to use the result or the evidence of the stored run.
    async fn outcome(&mut self, told: &CheckRun<'_>, trace: &Trace, bytes: u64) -> Result<Judged, EvidenceError> {
        let CheckRun { attempt, ready, turn } = *told;
        let (job, evidence) = (attempt.job, &attempt.job.run.shared.evidence);
        let question = ready.question(trace);
        let identity = question.as_ref().and_then(|question| stored_question(question, &job.secrets));
        let stored = match &attempt.stored {
            Some(stored) => match stored.evidence(job, ready, (question.as_ref(), identity.as_deref())) {
                Ok(answer) => answer,
                Err(obstacle) => {
                    let definition = definition(ready, &job.secrets);
                    let kept = stored.keep(obstacle, turn, definition.as_deref());
                    return kept.map(Judged::Kept).ok_or_else(|| obstacle.into());
                }
            },
            None => None,
        };
        if let Some(question) = question {
            let answer = match stored {
                Some(answer) => answer,
                None => Box::pin(evidence.answer(job, &mut self.evaluated, question)).await?,
            };
            let outcome = ready.conclude(trace, &answer);
            let (evidence, score) = self.keep(ready, answer);
            let found = FoundOut { evidence: Some(evidence), question: identity, score };
            return Ok(Judged::New { outcome, found });
        }
        if ready.may_take_long(bytes) {
            return Ok(Judged::new(Box::pin(evidence::evaluate(job, &mut self.evaluated, ready, trace)).await?));
        }
        Ok(Judged::new(ready.evaluate(trace)))
    }

    /// Emits the stored result of a check; returns the stored finding if it failed.
    fn take_kept(&mut self, attempt: &Attempt<'_>, kept: KeptCheck) -> Option<Finding> {
        let KeptCheck { check, finding } = kept;
        let similarity = check.evidence.as_deref().and_then(|evidence| serde_json::from_value(evidence.clone()).ok());
        self.similarities.extend(similarity);
        self.scores.extend(check.score.clone());
        attempt.emit(Body::Check(check));
        finding.map(|finding| *finding)
    }

    /// Adds warnings without duplicates.
    fn warn(&mut self, warnings: Vec<String>) {
        for warning in warnings {
            if !self.warnings.contains(&warning) {
                self.warnings.push(warning);
            }
        }
    }

    /// Records similarities and warnings of an answer, and returns the evidence to keep and the score.
    fn keep(&mut self, ready: &ReadyCheck, answer: Value) -> (Value, Option<CheckScore>) {
        let kept = ready.keep(answer);
        self.similarities.extend(kept.similarity);
        self.warnings.extend(kept.warnings);
        (kept.evidence, kept.score)
    }
}

fn ended_before(cause: Cause) -> String {
    format!("the case ended early: {}", cause.name())
}

/// How a check was judged.
enum Judged {
    New {
        outcome: Outcome,
        found: FoundOut,
    },
    /// The result of the stored run, in a recheck.
    Kept(KeptCheck),
}

/// What was found out for a check in addition to the trace.
#[derive(Debug, Default)]
struct FoundOut {
    evidence: Option<Value>,
    /// Identifies the question that the evidence answers.
    question: Option<String>,
    score: Option<CheckScore>,
}

impl Judged {
    fn new(outcome: Outcome) -> Self {
        Self::New { outcome, found: FoundOut::default() }
    }
}

/// A check whose result is emitted.
#[derive(Clone, Copy)]
struct CheckRun<'t> {
    attempt: &'t Attempt<'t>,
    ready: &'t ReadyCheck,
    turn: Option<u32>,
}

impl CheckRun<'_> {
    /// Emits the result of a check whose question has no answer.
    fn unanswered(&self, trouble: EvidenceError) -> Finding {
        let check = self.ready.check();
        self.emit(CheckStatus::Error, Some(trouble.message.clone()), FoundOut::default());
        let place = Some(self.attempt.job.place(check.kind.span));
        Finding { name: check.name(), place, turn: self.turn, ..*trouble }
    }

    /// Emits the result of a check; returns the finding if it failed. A check that was not evaluated although nothing
    /// stopped it is a finding too.
    fn concluded(&self, outcome: &Outcome, found: FoundOut, stopped: bool) -> Option<Finding> {
        let (status, message) = match outcome {
            Outcome::Passed => (CheckStatus::Passed, None),
            Outcome::Failed(failure) => (CheckStatus::Failed, Some(failure.message.clone())),
            Outcome::Error(failure) => (CheckStatus::Error, Some(failure.message.clone())),
            Outcome::NotEvaluated(reason) => (CheckStatus::NotEvaluated, Some(reason.clone())),
        };
        self.emit(status, message, found);
        let (check, sources) = (self.ready.check(), self.attempt.job.run.sources);
        let finding = match outcome {
            Outcome::NotEvaluated(reason) if !stopped => Some(findings::not_evaluated(check, reason, sources)),
            _ => findings::check(check, outcome, sources),
        };
        finding.map(|finding| Finding { turn: self.turn, ..finding })
    }

    fn emit(&self, status: CheckStatus, message: Option<String>, found: FoundOut) {
        let FoundOut { evidence, question, score } = found;
        let Self { attempt, ready, turn } = *self;
        let check = ready.check();
        let shown = || Some(check.arguments.summary(ARGUMENTS_SHOWN)).filter(|line| !check.invalid && !line.is_empty());
        attempt.emit(Body::Check(CheckEnd {
            name: check.name(),
            subject: check.subject().map(Into::into).or_else(shown),
            status,
            message,
            score,
            evidence: evidence.map(Arc::new),
            turn,
            definition: definition(ready, &attempt.job.secrets).map(Into::into),
            question: question.map(Into::into),
        }));
    }
}

/// Identifies the definition of a check; `None` if it contains a secret.
fn definition(ready: &ReadyCheck, secrets: &Secrets) -> Option<String> {
    let (fingerprint, is_secret) = secrets.fingerprint(&ready.definition()?);
    (!is_secret).then_some(fingerprint)
}
