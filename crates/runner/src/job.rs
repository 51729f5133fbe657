//! A case that is being run, and what every stage of its attempts needs.

use std::cell::{Cell, RefCell};
use std::sync::Arc;
use std::time::{Duration, Instant};

use agentci_checks::{ReadyCase, ReadyCheck};
use agentci_drivers::Clock;
use agentci_plan::{Case, Check, StopRule, Suite};
use agentci_source::{Place, Sources, Span};
use agentci_trace::{Redactor, Trace};
use agentci_verdict::{Body, Cause, CheckEnd, CheckStatus, Finding, RunEvent};
use agentci_verdict::{Outcome, Similarity};
use agentci_wire::FetchedSecrets;
use serde_json::Value;

use crate::draws::Draws;
use crate::evidence::{Evidence, Unanswered};
use crate::findings;
use crate::options::Options;
use crate::redact::redact;
use crate::resources::CaseResources;
use crate::services::Services;
use crate::stop::Stop;
use crate::trace_limits;
use crate::unused_faults::Unmet;

/// When a suite as a whole is given up.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SuiteDeadline {
    pub(crate) at: Instant,
    pub(crate) after: Duration,
}

/// What checks tell beside whether they held.
#[derive(Debug, Default)]
pub(crate) struct Told {
    pub(crate) similarities: Vec<Similarity>,
    pub(crate) warnings: Vec<String>,
}

/// A case and all that is needed to run it.
pub(crate) struct Job<'j> {
    pub(crate) sources: &'j Sources,
    pub(crate) suite: &'j Suite,
    pub(crate) case: &'j Case,
    /// The names of both, as every event has them.
    pub(crate) suite_name: &'j Arc<str>,
    pub(crate) case_id: Arc<str>,
    pub(crate) ready: &'j ReadyCase,
    /// The position of the case among those selected.
    pub(crate) index: usize,
    pub(crate) options: &'j Options<'j>,
    pub(crate) stop: &'j Stop,
    /// When the whole suite is given up.
    pub(crate) suite_deadline: Option<SuiteDeadline>,
    /// Which calls of scripted models fail.
    pub(crate) draws: &'j Draws,
    /// What must not leave the run whatever its cases meet.
    pub(crate) suite_secrets: &'j Redactor,
    /// What must not leave the case; grows as secrets are met.
    pub(crate) secrets: RefCell<Redactor>,
    /// What its drivers fetched themselves and nobody may see, such as access tokens.
    pub(crate) fetched: FetchedSecrets,
    /// What checks want to know beside the trace.
    pub(crate) evidence: &'j Evidence,
    /// What its drivers have made ready once.
    pub(crate) resources: CaseResources<'j>,
    /// What they told of the attempt that is running beside whether they held.
    pub(crate) told: RefCell<Told>,
    /// How long its checks were evaluated by workers in the attempt that is running.
    pub(crate) evaluated: Cell<Duration>,
    /// What goes wrong on purpose and did not yet.
    pub(crate) unmet: &'j Unmet,
    /// What the cases of the suite share.
    pub(crate) services: &'j Services,
    pub(crate) emit: &'j dyn Fn(RunEvent),
}

fn check_end(check: &Check, status: CheckStatus, message: Option<String>, evidence: Option<Value>) -> Body {
    let evidence = evidence.map(Arc::new);
    Body::Check(CheckEnd { name: check.name(), subject: check.subject().map(Into::into), status, message, evidence })
}

impl Job<'_> {
    pub(crate) fn emit(&self, attempt: u32, timestamp: u64, mut body: Body) {
        let mut secrets = self.secrets.borrow_mut();
        self.fetched.each(|secret| secrets.learn_value(secret));
        redact(&mut body, &mut secrets);
        drop(secrets);
        let event = RunEvent {
            suite: Arc::clone(self.suite_name),
            case_id: Some(Arc::clone(&self.case_id)),
            attempt: Some(attempt),
            timestamp,
            body,
        };
        (self.emit)(event);
    }

    pub(crate) fn place(&self, span: Span) -> Place {
        self.sources.place(span)
    }

    /// Evaluates checks, of one turn or of the whole case, and says what became of each. When something else went wrong
    /// before, none is evaluated.
    pub(crate) async fn judge(
        &self,
        number: u32,
        clock: Clock,
        checks: &[ReadyCheck],
        trace: &Trace,
        before: Option<Cause>,
        turn: Option<u32>,
    ) -> Vec<Finding> {
        let mut found = Vec::new();
        let mut stopped = before.map(|cause| format!("the case ended before: {}", cause.name()));
        let bytes = if checks.is_empty() { 0 } else { trace_limits::bytes(trace) };
        for ready in checks {
            let check = ready.check();
            let judged = match &stopped {
                Some(reason) => Ok((Outcome::NotEvaluated(reason.clone()), None)),
                None => self.outcome(ready, trace, bytes).await,
            };
            let (outcome, evidence) = match judged {
                Ok(judged) => judged,
                Err(trouble) => {
                    let message = Some(trouble.message.clone());
                    if trouble.cause == Cause::Interrupted || self.is_over() {
                        stopped = Some(format!("the case ended before: {}", trouble.cause.name()));
                    }
                    self.emit(number, clock.now().unix_ms, check_end(check, CheckStatus::Error, message, None));
                    found.push(Finding { turn, ..findings::unanswered(check, trouble, self.sources) });
                    continue;
                }
            };
            let (status, message) = match &outcome {
                Outcome::Held => (CheckStatus::Held, None),
                Outcome::Failed(failure) => (CheckStatus::Failed, Some(failure.message.clone())),
                Outcome::Error(failure) => (CheckStatus::Error, Some(failure.message.clone())),
                Outcome::NotEvaluated(reason) => (CheckStatus::NotEvaluated, Some(reason.clone())),
            };
            if outcome == Outcome::Held {
                self.warn(ready.warnings(trace));
            }
            self.emit(number, clock.now().unix_ms, check_end(check, status, message, evidence));
            let finding = match &outcome {
                Outcome::NotEvaluated(reason) if stopped.is_none() => {
                    Some(findings::not_evaluated(check, reason, self.sources))
                }
                outcome => findings::check(check, outcome, self.sources),
            };
            found.extend(finding.map(|finding| Finding { turn, ..finding }));
            if self.case.stop == StopRule::FirstFailure && !found.is_empty() {
                stopped = Some("an earlier check did not hold".into());
            }
        }
        found
    }

    /// What comes of a check, and what is kept as evidence for it.
    async fn outcome(
        &self,
        ready: &ReadyCheck,
        trace: &Trace,
        bytes: u64,
    ) -> Result<(Outcome, Option<Value>), Unanswered> {
        if let Some(question) = ready.question(trace) {
            let answer = Box::pin(self.evidence.answer(self, question)).await?;
            return Ok((ready.conclude(trace, &answer), Some(self.keep(ready, answer))));
        }
        if ready.may_take_long(bytes) {
            return Box::pin(self.evidence.evaluate(self, ready, trace)).await.map(|outcome| (outcome, None));
        }
        Ok((ready.evaluate(trace), None))
    }

    /// Takes note of warnings, each once.
    fn warn(&self, warnings: Vec<String>) {
        let told = &mut self.told.borrow_mut().warnings;
        for warning in warnings {
            if !told.contains(&warning) {
                told.push(warning);
            }
        }
    }

    /// Whether the suite has used up its time.
    fn is_over(&self) -> bool {
        self.suite_deadline.is_some_and(|deadline| deadline.at <= Instant::now())
    }

    /// Takes note of what an answer tells beside whether the check holds, and gives what is kept of it.
    fn keep(&self, ready: &ReadyCheck, answer: Value) -> Value {
        let kept = ready.keep(answer);
        let mut told = self.told.borrow_mut();
        told.similarities.extend(kept.similarity);
        told.warnings.extend(kept.warnings);
        kept.evidence
    }
}
