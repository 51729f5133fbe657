//! One attempt at a case: prepare, converse, judge.

use std::cell::RefCell;
use std::sync::Arc;
use std::time::{Duration, Instant};

use agentci_checks::{ReadyCase, ReadyCheck};
use agentci_drivers::Clock;
use agentci_drivers::mock::MockDraws;
use agentci_plan::{Case, Outcome, Place, Sources, Span, StopRule, Suite};
use agentci_trace::{Redactor, Trace};
use agentci_verdict::{AssertionCount, Body, CaseEnd, Cause, CheckEnd, CheckStatus, Finding, RunEvent, Status, settle};

use crate::converse::converse;
use crate::findings;
use crate::prepare::{Unprepared, prepare};
use crate::redact::redact;
use crate::schedule::Options;
use crate::stop::Stop;

/// When a suite as a whole is given up.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SuiteDeadline {
    pub(crate) at: Instant,
    pub(crate) after: Duration,
}

/// A case and all that is needed to run it.
pub(crate) struct Job<'j> {
    pub(crate) sources: &'j Sources,
    pub(crate) suite: &'j Suite,
    pub(crate) case: &'j Case,
    pub(crate) ready: &'j ReadyCase,
    /// The position of the case among those selected.
    pub(crate) index: usize,
    pub(crate) options: &'j Options<'j>,
    pub(crate) stop: &'j Stop,
    /// When the whole suite is given up.
    pub(crate) suite_deadline: Option<SuiteDeadline>,
    /// Which calls of scripted models fail.
    pub(crate) draws: &'j MockDraws,
    /// What must not leave the case; grows as secrets are met.
    pub(crate) secrets: RefCell<Redactor>,
    pub(crate) emit: &'j dyn Fn(RunEvent),
}

impl Job<'_> {
    pub(crate) fn emit(&self, attempt: u32, timestamp: u64, mut body: Body) {
        redact(&mut body, &mut self.secrets.borrow_mut());
        let event = RunEvent {
            suite: self.suite.name.clone(),
            case_id: Some(self.case.id.clone()),
            attempt: Some(attempt),
            timestamp,
            body,
        };
        (self.emit)(event);
    }

    pub(crate) fn place(&self, span: Span) -> Place {
        self.sources.place(span)
    }

    /// Runs the case once and tells how it ended.
    pub(crate) async fn attempt(&self, number: u32) -> Status {
        let mut end = self.beginning();
        if let Some(skip) = &self.case.skip {
            end.status = Status::Skipped;
            end.runs = 1;
            end.skip_reason.clone_from(&skip.reason);
            self.emit(number, Clock::start().now().unix_ms, Body::CaseEnd(Arc::new(end)));
            return Status::Skipped;
        }
        let clock = match self.in_time(number).await {
            Err(unprepared) => {
                end.findings = unprepared.findings;
                end.stderr_tail = unprepared.stderr_tail;
                Clock::start()
            }
            Ok(prepared) => {
                let clock = Clock::start();
                end.replay.clone_from(&prepared.replay);
                let checks = prepared.checks.clone();
                let talk = converse(self, number, clock, prepared).await;
                end.wall_ms = u64::try_from(talk.wall.as_millis()).unwrap_or(u64::MAX);
                end.findings = talk.findings;
                end.assertions.failed = talk.failed_checks;
                let reason = end.findings.first().map(|finding| finding.cause);
                let outcomes = self.judge(number, clock, &checks, &talk.trace, reason);
                end.assertions.failed += outcomes.len();
                end.findings.extend(outcomes);
                end.metrics = talk.metrics;
                end.stderr_tail = talk.stderr_tail;
                clock
            }
        };
        (end.status, end.cause) = settle(&end.findings);
        end.passed = end.status == Status::Pass;
        if end.passed {
            end.stderr_tail.clear();
        }
        let status = end.status;
        self.emit(number, clock.now().unix_ms, Body::CaseEnd(Arc::new(end)));
        status
    }

    /// What is known of the case before it is run.
    fn beginning(&self) -> CaseEnd {
        let total = self.ready.checks.len() + self.ready.turns.iter().map(Vec::len).sum::<usize>();
        CaseEnd {
            index: self.index,
            runs: self.case.runs,
            description: self.case.description.clone(),
            tags: self.case.tags.clone(),
            place: Some(self.place(self.case.span)),
            assertions: AssertionCount { total, failed: 0 },
            ..CaseEnd::default()
        }
    }

    /// Prepares the case, unless the suite has used up its time.
    async fn in_time(&self, number: u32) -> Result<crate::prepare::Prepared<'_>, Unprepared> {
        match self.suite_deadline {
            Some(deadline) if deadline.at <= Instant::now() => Err(findings::suite_timeout(deadline.after).into()),
            _ => self.prepared(number).await,
        }
    }

    /// Prepares the case, unless the run is stopped meanwhile: hooks may take their time.
    async fn prepared(&self, number: u32) -> Result<crate::prepare::Prepared<'_>, Unprepared> {
        tokio::select! {
            biased;
            () = self.stop.wait() => Err(findings::interrupted().into()),
            prepared = prepare(self, number) => prepared,
        }
    }

    /// Evaluates checks and says what became of each. When something else went wrong before, none is evaluated.
    pub(crate) fn judge(
        &self,
        number: u32,
        clock: Clock,
        checks: &[Arc<ReadyCheck>],
        trace: &Trace,
        before: Option<Cause>,
    ) -> Vec<Finding> {
        let mut found = Vec::new();
        let mut stopped = before.map(|cause| format!("the case ended before: {}", cause.name()));
        for ready in checks {
            let outcome = match &stopped {
                Some(reason) => Outcome::NotEvaluated(reason.clone()),
                None => ready.evaluate(trace),
            };
            let (status, message) = match &outcome {
                Outcome::Held => (CheckStatus::Held, None),
                Outcome::Failed(failure) => (CheckStatus::Failed, Some(failure.message.clone())),
                Outcome::Error(failure) => (CheckStatus::Error, Some(failure.message.clone())),
                Outcome::NotEvaluated(reason) => (CheckStatus::NotEvaluated, Some(reason.clone())),
            };
            let (name, subject) = (ready.check().name(), ready.check().subject.clone());
            self.emit(number, clock.now().unix_ms, Body::Check(CheckEnd { name, subject, status, message }));
            found.extend(findings::check(ready.check(), &outcome, self.sources));
            if self.case.stop == StopRule::FirstFailure && !found.is_empty() {
                stopped = Some("an earlier check did not hold".into());
            }
        }
        found
    }
}
