//! One attempt at a case: prepare, converse, judge.

use std::cell::Cell;
use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use agentci_drivers::Clock;
use agentci_plan::{AnsweredBy, StopRule};
use agentci_trace::{Kind, Trace};
use agentci_verdict::{AssertionCount, Body, CaseEnd, Cause, Finding, Status, settle};

use crate::converse::converse;
use crate::fingerprint::fingerprint;
use crate::job::Job;
use crate::prepare::{Unprepared, prepare};
use crate::retries::Retries;
use crate::services::{Held, Late, has_own_agent};
use crate::{changed_arguments, findings, mock_model, model_trouble, not_run, recording, translate};

/// How an attempt ended.
struct Attempted {
    end: CaseEnd,
    clock: Clock,
    /// Whether its agent could not be reached or was busy.
    may_pass: bool,
    /// What the agent printed, which a failure shows.
    printed: Vec<String>,
    /// Calls of its tools that come when it is over, where its agent goes on.
    late: Option<Late>,
}

impl Job<'_> {
    /// Runs the case as often as it is to be run; the worst of how it ended, or nothing if it was not begun. `failed` tells whether
    /// any case of the run did not pass.
    pub(crate) async fn attempts(&self, failed: &Cell<bool>) -> Option<Status> {
        let mut worst = None;
        let runs = if self.case.skip.is_some() { 1 } else { self.case.runs.max(1) };
        for number in 1..=runs {
            if self.stop.stopped() || (self.options.fail_fast && failed.get() && worst.is_none()) {
                break;
            }
            let status = self.attempt_with_retries(number).await;
            failed.set(failed.get() || status > Status::Skipped);
            worst = worst.max(Some(status));
        }
        worst
    }

    /// Runs the case once, and again for as long as its agent could not be reached or was busy and there are retries left.
    async fn attempt_with_retries(&self, number: u32) -> Status {
        let mut retries = Retries::new(self.options.retries);
        loop {
            let Attempted { mut end, clock, may_pass, printed, late } = self.attempt(number).await;
            let wait = if may_pass && !self.stop.stopped() { retries.next() } else { None };
            if let (Some(wait), Some(finding)) = (wait, end.findings.first()) {
                self.emit(number, clock.now().unix_ms, retries.failed(&finding.message, wait));
                if self.waited(wait).await {
                    continue;
                }
            }
            end.warnings.extend(retries.summary(end.passed));
            let (status, timestamp) = (end.status, clock.now().unix_ms);
            // The case before can get no more calls that are its own.
            let before = self.services.held.tell(self.emit);
            match late {
                None => self.emit(number, timestamp, Body::CaseEnd(Arc::new(end))),
                Some(late) => {
                    let (suite, secrets) = (Arc::clone(self.suite_name), self.secrets.borrow().clone());
                    self.services.held.hold(Held { suite, attempt: number, timestamp, end, printed, late, secrets });
                }
            }
            return status.max(before.unwrap_or(Status::Pass));
        }
    }

    /// Waits; whether there is still time to go on after that.
    async fn waited(&self, wait: Duration) -> bool {
        let in_time = self.suite_deadline.is_none_or(|deadline| deadline.at > Instant::now() + wait);
        if !in_time {
            return false;
        }
        tokio::select! {
            biased;
            () = self.stop.wait() => false,
            () = tokio::time::sleep(wait) => true,
        }
    }

    /// Runs the case once.
    async fn attempt(&self, number: u32) -> Attempted {
        let mut end = self.beginning();
        self.evaluated.take();
        if let Some(skip) = &self.case.skip {
            end.status = Status::Skipped;
            end.runs = 1;
            end.skip_reason = skip.reason.as_deref().map(Into::into);
            return Attempted { end, clock: Clock::start(), may_pass: false, printed: Vec::new(), late: None };
        }
        let may_pass;
        let mut late = None;
        let clock = match self.in_time(number).await {
            Err(unprepared) => {
                may_pass = unprepared.findings.first().is_some_and(|finding| finding.cause == Cause::Unreachable);
                end.findings = unprepared.findings.into();
                end.stderr_tail = unprepared.stderr_tail.into();
                Clock::start()
            }
            Ok(prepared) => {
                let clock = Clock::start();
                end.replay = prepared.replay.clone().map(Box::new);
                end.played = recording::played(self).map(Box::new);
                end.no_agent = self.case.answered_by(self.options.mode) == AnsweredBy::Script;
                let checks = prepared.checks.clone();
                let talk = converse(self, number, clock, prepared).await;
                may_pass = talk.may_pass;
                if let Some(replay) = &mut end.replay {
                    replay.unused_lines = talk.unused_lines;
                }
                end.wall_ms = u64::try_from(talk.wall.as_millis()).unwrap_or(u64::MAX);
                end.findings = talk.findings.into();
                end.assertions.failed = talk.failed_checks;
                let reason = self.keeps_from_judging(&end.findings);
                let outcomes = self.judge(number, clock, &checks, &talk.trace, reason, None).await;
                let told = self.told.take();
                end.output_hash = self.output_hash(&talk.trace).map(Into::into);
                end.warnings = warnings(&talk.trace).into();
                end.warnings.extend(changed_arguments::told(&talk.trace));
                end.warnings.extend(not_run::told(self, &talk.trace));
                end.calls = translate::lives(&talk.trace).into();
                end.warnings.extend(told.warnings);
                end.similarities = told.similarities.into();
                end.warnings.extend(talk.warnings);
                end.warnings.extend(self.unmet.ended(&talk.faults, &talk.trace, self.sources));
                end.assertions.failed += outcomes.len();
                end.findings.extend(outcomes);
                if end.findings.is_empty() && talk.has_model {
                    end.findings.extend(model_trouble::never_asked(self, &talk.trace, &talk.reached));
                }
                if self.case.world.model.is_some()
                    && let Some(first) = end.findings.first_mut()
                {
                    first.notes.extend(mock_model::refusals(&talk.trace));
                }
                late = talk.late;
                end.metrics = talk.metrics;
                end.stderr_tail = talk.stderr_tail.into();
                clock
            }
        };
        if has_own_agent(self) {
            Box::pin(self.services.agents.end(self, number)).await;
        }
        (end.status, end.cause) = settle(&end.findings);
        end.passed = end.status == Status::Pass;
        let printed = end.stderr_tail.to_vec();
        if end.passed {
            end.stderr_tail.clear();
        }
        Attempted { end, clock, may_pass, printed, late }
    }

    /// Why the checks of the whole case are not evaluated, if they are not. A case that takes all its turns whatever their
    /// checks say is judged as a whole, too.
    fn keeps_from_judging(&self, findings: &[Finding]) -> Option<Cause> {
        let goes_on = |finding: &Finding| self.case.stop == StopRule::Never && finding.cause == Cause::Check;
        findings.iter().find(|finding| !goes_on(finding)).map(|finding| finding.cause)
    }

    /// What is known of the case before it is run.
    fn beginning(&self) -> CaseEnd {
        let total = self.ready.checks.len() + self.ready.turns.iter().map(|checks| checks.len()).sum::<usize>();
        CaseEnd {
            id: Arc::clone(&self.case_id),
            index: self.index,
            runs: self.case.runs,
            description: self.case.description.clone(),
            tags: self.case.tags.to_vec().into(),
            place: Some(self.sources.spot(self.case.span)),
            assertions: AssertionCount { total, failed: 0 },
            input: self.case.asked.as_deref().cloned().map(Box::new),
            expected: self.case.expected.as_deref().cloned().map(Box::new),
            metadata: self.case.metadata.as_deref().cloned().map(Box::new),
            ..CaseEnd::default()
        }
    }

    /// What tells the output of this run from that of another, if there is another.
    fn output_hash(&self, trace: &Trace) -> Option<String> {
        if self.case.runs < 2 {
            return None;
        }
        let secrets = self.secrets.borrow();
        if let Some(output) = trace.final_output() {
            return Some(fingerprint(output, &secrets));
        }
        let text = trace.conversation().text();
        (!text.is_empty()).then(|| fingerprint(&text.into(), &secrets))
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
        if self.stop.stopped() {
            return Err(findings::interrupted().into());
        }
        let mut preparing = pin!(prepare(self, number));
        // Most cases are prepared without waiting for anything, and need not be told when to stop waiting.
        tokio::select! {
            biased;
            prepared = &mut preparing => prepared,
            () = self.stop.wait() => Err(findings::interrupted().into()),
        }
    }
}

/// The rules of its protocol that the agent broke, each told once.
fn warnings(trace: &Trace) -> Vec<String> {
    let mut warnings: Vec<String> = Vec::new();
    for event in trace.events() {
        if let Kind::Violation(message) = &event.kind
            && !warnings.contains(message)
        {
            warnings.push(message.clone());
        }
    }
    warnings
}
