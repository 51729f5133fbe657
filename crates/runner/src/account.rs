//! Collects the results of an attempt: the trace, the usage and the findings.

use std::time::Duration;

use agentci_checks::ReadyCheck;
use agentci_plan::{AnsweredBy, StopRule};
use agentci_stubs::Faults;
use agentci_trace::{EventKind, Trace};
use agentci_verdict::{CaseEnd, Cause, Finding, Metrics};

use crate::attempt::Attempt;
use crate::attempt_watch::ConversationWatch;
use crate::findings::each_once;
use crate::fingerprint::fingerprint;
use crate::job::CaseJob;
use crate::judge::JudgedAttempt;
use crate::services::LateToolCalls;
use crate::stage::{ClosedStage, Stage};
use crate::turn::TurnEnd;
use crate::{changed_arguments, mock_model, model_trouble, own_frame, prompts, recording, translate, unexecuted_tools};

/// The results of an attempt.
#[derive(Default)]
pub(crate) struct Account {
    pub(crate) trace: Trace,
    pub(crate) findings: Vec<Finding>,
    /// Warnings, which do not keep the case from passing.
    pub(crate) warnings: Vec<String>,
    pub(crate) metrics: Metrics,
    /// A limit that the total usage exceeds, possibly without any usage.
    pub(crate) exceeded: Option<Finding>,
    /// The wall time of the agent.
    pub(crate) wall: Duration,
    /// Whether the agent was unreachable or rate-limited, so that a retry may pass.
    pub(crate) may_pass: bool,
    /// Whether the agent may still be busy with a turn although nothing waits for it any more.
    pub(crate) given_up: bool,
    /// The end of the agent's standard error.
    pub(crate) stderr_tail: Vec<String>,
    pub(crate) checks: JudgedAttempt,
    /// The number of events of the trace when the checks of each turn were evaluated.
    pub(crate) judged: Vec<usize>,
    /// What remains of the stage after it was closed.
    pub(crate) left: ClosedStage,
}

impl Account {
    /// Starts with the findings of opening the stage.
    pub(crate) fn new(stage: &mut Stage) -> Self {
        let not_reached = std::mem::take(&mut stage.not_reached);
        Self {
            may_pass: not_reached.findings.iter().any(|finding| finding.cause == Cause::Unreachable),
            findings: not_reached.findings,
            stderr_tail: not_reached.stderr_tail,
            warnings: stage.warning.take().into_iter().collect(),
            ..Self::default()
        }
    }

    /// Records how a turn ended; `wall` is the time since the agent started.
    pub(crate) fn ended(&mut self, ended: &TurnEnd, wall: Duration) {
        self.wall = wall;
        self.given_up = ended.is_given_up();
        self.may_pass = ended.may_pass();
    }

    /// Evaluates the checks of a turn on that turn alone; returns whether one failed.
    pub(crate) async fn judge_turn(
        &mut self,
        attempt: &Attempt<'_>,
        checks: &[ReadyCheck],
        trace: &Trace,
        turn: u32,
    ) -> bool {
        self.judged.push(trace.events().len());
        if checks.is_empty() {
            return false;
        }
        let failed = self.checks.judge(attempt, checks, &trace.of_turn(turn), None, Some(turn)).await;
        let any = !failed.is_empty();
        self.findings.extend(failed);
        any
    }

    /// Takes over the findings and metrics of the conversation.
    pub(crate) fn take(&mut self, watch: ConversationWatch<'_>) {
        let (found, meter) = watch.conclude();
        self.findings.splice(0..0, found);
        self.exceeded = meter.exceeded();
        self.metrics = meter.metrics;
    }

    /// Evaluates the checks of the whole case.
    pub(crate) async fn judge(&mut self, attempt: &Attempt<'_>, checks: &[ReadyCheck]) {
        let reason = keeps_from_judging(attempt.job.case.stop, &self.findings);
        let failed = self.checks.judge(attempt, checks, &self.trace, reason, None).await;
        self.findings.extend(failed);
    }

    /// Completes the end of the attempt; returns its tools if calls may still arrive.
    pub(crate) fn settle(mut self, attempt: &Attempt<'_>, end: &mut CaseEnd) -> Option<LateToolCalls> {
        let job = attempt.job;
        self.conclude_model(job);
        end.replay = self.left.replay.take().map(Box::new);
        end.played = recording::played(job, self.left.played).map(Box::new);
        end.no_agent = job.case.answered_by(job.run.options.mode) == AnsweredBy::Script;
        end.deterministic = job.case.is_deterministic(job.run.options.mode) && !Faults::drawn(&job.case.world.faults);
        end.wall_ms = u64::try_from(self.wall.as_millis()).unwrap_or(u64::MAX);
        end.wall_us = u64::try_from(self.wall.as_micros()).unwrap_or(u64::MAX);
        end.output_hash = output_hash(job, &self.trace).map(Into::into);
        end.calls = translate::lives(&self.trace);
        if translate::tells_turns(&job.case.target) {
            end.turns = translate::turns(&self.trace);
        }
        end.warnings = self.all_warnings(job);
        end.assertions.failed = self.checks.failed;
        if let Some(first) = self.findings.first_mut() {
            first.notes.extend(job.run.shared.tools.uncalled(job, &self.trace));
            first.notes.append(&mut self.left.notes);
            if !matches!(first.cause, Cause::ReplayMiss | Cause::Config) {
                first.notes.extend(own_frame::note(&self.stderr_tail));
            }
        }
        end.similarities = self.checks.similarities;
        end.scores = self.checks.scores;
        end.findings = self.findings;
        end.metrics = self.metrics;
        prompts::settle(attempt, &self.trace, end);
        end.stderr_tail = self.stderr_tail;
        self.left.late
    }

    /// Adds findings and notes of the scripted model.
    pub(crate) fn conclude_model(&mut self, job: &CaseJob<'_>) {
        if self.findings.is_empty() && self.left.has_model {
            self.findings.extend(model_trouble::never_asked(job, &self.trace, &self.left.reached));
        }
        if job.case.world.model.is_some()
            && let Some(first) = self.findings.first_mut()
        {
            first.notes.extend(mock_model::refusals(&self.trace));
        }
    }

    fn all_warnings(&mut self, job: &CaseJob<'_>) -> Vec<String> {
        let mut warnings = violations(&self.trace);
        warnings.extend(changed_arguments::told(&self.trace));
        warnings.extend(unexecuted_tools::told(job, &self.trace));
        warnings.append(&mut self.checks.warnings);
        warnings.append(&mut self.warnings);
        warnings.extend(job.run.shared.pending_faults.ended(&self.left.faults, &self.trace, job.run.sources));
        warnings
    }
}

/// The cause that prevents evaluating the checks of the whole case, if there is one. A case that takes all its turns
/// whatever their checks say is still judged as a whole.
fn keeps_from_judging(stop: StopRule, findings: &[Finding]) -> Option<Cause> {
    let goes_on = |finding: &Finding| stop == StopRule::Never && finding.cause == Cause::Check;
    findings.iter().find(|finding| !goes_on(finding)).map(|finding| finding.cause)
}

/// A hash of the output, to compare it with other runs of the case, if there are any.
fn output_hash(job: &CaseJob<'_>, trace: &Trace) -> Option<String> {
    if job.case.runs < 2 {
        return None;
    }
    let secrets = job.secrets.all();
    if let Some(output) = trace.final_output() {
        return Some(fingerprint(output, &secrets));
    }
    let text = trace.conversation().text();
    (!text.is_empty()).then(|| fingerprint(&text.into(), &secrets))
}

/// The protocol violations of the agent, without duplicates.
fn violations(trace: &Trace) -> Vec<String> {
    let violation = |kind: &EventKind| if let EventKind::Violation(told) = kind { Some(told.clone()) } else { None };
    each_once(trace.events().iter().filter_map(|event| violation(&event.kind))).collect()
}
