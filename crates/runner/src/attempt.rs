//! One attempt at a case: prepare, converse, judge.

use std::cell::RefCell;
use std::ops::ControlFlow;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use agentci_checks::{ReadyCase, ReadyCheck, refill};
use agentci_drivers::{Clock, Context, Driver, TraceSink};
use agentci_plan::{Case, Limit, Mode, Outcome, Place, Said, Sources, Span, StopRule, Suite, ToolSource};
use agentci_stubs::{Player, Tape};
use agentci_trace::Trace;
use agentci_verdict::{
    AssertionCount, Body, CaseEnd, Cause, CheckEnd, CheckStatus, Finding, Metrics, Replay, RunEvent, Status, settle,
};
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::host::Host;
use crate::meter::{self, Meter};
use crate::schedule::Options;
use crate::scope::Scope;
use crate::stop::Stop;
use crate::{findings, hook, translate};

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
    pub(crate) emit: &'j dyn Fn(RunEvent),
}

/// What the case needs before the agent is started.
struct Prepared<'p> {
    scope: Scope<'p>,
    checks: Vec<Arc<ReadyCheck>>,
    turn_checks: Vec<Vec<Arc<ReadyCheck>>>,
    inputs: Vec<Value>,
    player: Option<Player>,
    replay: Option<Replay>,
}

/// What came of the conversation.
#[derive(Default)]
struct Conversation {
    trace: Trace,
    metrics: Metrics,
    wall: Duration,
    stderr_tail: Vec<String>,
    findings: Vec<Finding>,
    /// Checks of turns that were evaluated on the way.
    checks: AssertionCount,
}

impl Job<'_> {
    fn emit(&self, attempt: u32, timestamp: u64, body: Body) {
        let event = RunEvent {
            suite: self.suite.name.clone(),
            case_id: Some(self.case.id.clone()),
            attempt: Some(attempt),
            timestamp,
            body,
        };
        (self.emit)(event);
    }

    fn place(&self, span: Span) -> Place {
        self.sources.place(span)
    }

    /// Runs the case once and tells how it ended.
    pub(crate) async fn attempt(&self, number: u32) -> Status {
        let total = self.ready.checks.len() + self.ready.turns.iter().map(Vec::len).sum::<usize>();
        let mut end = CaseEnd {
            index: self.index,
            runs: self.case.runs,
            description: self.case.description.clone(),
            tags: self.case.tags.clone(),
            place: Some(self.place(self.case.span)),
            assertions: AssertionCount { total, failed: 0 },
            ..CaseEnd::default()
        };
        if let Some(skip) = &self.case.skip {
            end.status = Status::Skipped;
            end.skip_reason.clone_from(&skip.reason);
            self.emit(number, Clock::start().now().unix_ms, Body::CaseEnd(Arc::new(end)));
            return Status::Skipped;
        }
        let clock = match self.prepare().await {
            Err((found, stderr_tail)) => {
                end.findings = found;
                end.stderr_tail = stderr_tail;
                Clock::start()
            }
            Ok(prepared) => {
                let clock = Clock::start();
                end.replay.clone_from(&prepared.replay);
                let checks = prepared.checks.clone();
                let talk = self.converse(number, clock, prepared).await;
                end.wall_ms = u64::try_from(talk.wall.as_millis()).unwrap_or(u64::MAX);
                end.findings = talk.findings;
                end.assertions.failed = talk.checks.failed;
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

    /// Everything that can go wrong before the agent is started.
    async fn prepare(&self) -> Result<Prepared<'_>, (Vec<Finding>, Vec<String>)> {
        let case = self.case;
        let only = |finding| (vec![finding], Vec::new());
        let mut wrong = case.broken.as_ref().map(|broken| findings::config(broken, self.sources)).unwrap_or_default();
        wrong.extend(findings::config(&self.ready.problems, self.sources));
        if !wrong.is_empty() {
            return Err((wrong, Vec::new()));
        }
        let config = |message: String, span| only(findings::plain(Cause::Config, message, Some(self.place(span))));
        let mut scope = Scope::new(case, self.options.environment).map_err(|message| config(message, case.span))?;
        for step in case.hooks.iter() {
            hook::run(step, &mut scope).await.map_err(|failure| {
                let finding = findings::plain(Cause::Hook, failure.message, Some(self.place(step.span)));
                (vec![finding], failure.stderr_tail)
            })?;
        }
        let lookup = |name: &str| scope.get(name);
        let mut inputs = Vec::with_capacity(case.turns.len());
        for turn in &case.turns {
            inputs.push(input(&turn.said, &lookup).map_err(|message| config(message, turn.span))?);
        }
        let fill = |checks: &[Arc<ReadyCheck>]| self.fill(checks, &lookup).map_err(|found| (found, Vec::new()));
        let checks = fill(&self.ready.checks)?;
        let turn_checks = self.ready.turns.iter().map(|checks| fill(checks)).collect::<Result<_, _>>()?;
        let tape = self.tape().map_err(|finding| only(*finding))?;
        let replay = tape.as_ref().map(|tape| Replay {
            cassette_path: tape.path().display().to_string(),
            cassette_sha256: tape.sha256().to_owned(),
        });
        let player = tape.map(|tape| Player::new(Arc::new(tape)));
        Ok(Prepared { scope, checks, turn_checks, inputs, player, replay })
    }

    /// Fills the variables of checks that have some.
    fn fill(
        &self,
        checks: &[Arc<ReadyCheck>],
        lookup: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Vec<Arc<ReadyCheck>>, Vec<Finding>> {
        let fill = |check: &Arc<ReadyCheck>| {
            if !check.waits_for_variables() {
                return Ok(Arc::clone(check));
            }
            let span = check.check().kind.span;
            match refill(check, self.options.files, &self.suite.folder, lookup) {
                Ok(Ok(ready)) => Ok(Arc::new(ready)),
                Ok(Err(problems)) => Err(findings::config(&problems, self.sources)),
                Err(unset) => Err(vec![findings::plain(Cause::Config, unset.to_string(), Some(self.place(span)))]),
            }
        };
        checks.iter().map(fill).collect()
    }

    fn tape(&self) -> Result<Option<Tape>, Box<Finding>> {
        let ToolSource::Cassette(cassette) = &self.case.world.tools else { return Ok(None) };
        if self.options.mode != Mode::Replay {
            return Ok(None);
        }
        Tape::load(self.options.files, &cassette.path).map(Some).map_err(|error| {
            Box::new(Finding {
                label: "this recording".into(),
                help: Some("cassette paths are relative to the suite's folder; each line is one JSON object".into()),
                ..findings::plain(Cause::Config, error.to_string(), Some(self.place(cassette.span)))
            })
        })
    }

    /// Starts the agent and takes the turns.
    async fn converse(&self, number: u32, clock: Clock, prepared: Prepared<'_>) -> Conversation {
        let found: Rc<RefCell<Vec<Finding>>> = Rc::default();
        let case = self.case;
        let mut meter = Meter::new(&case.limits, self.sources);
        let mut talk = Conversation::default();
        let context = Context { case_id: &case.id, lookup: &|name| prepared.scope.get(name) };
        let target = self.sources.place(case.target.span());
        let mut driver = match Driver::open(&case.target, &context) {
            Ok(Ok(driver)) => driver,
            Ok(Err(error)) => {
                talk.findings.extend(findings::drive(&error, target));
                return talk;
            }
            Err(unset) => {
                talk.findings.push(findings::plain(Cause::Config, unset.to_string(), Some(target)));
                return talk;
            }
        };
        let host = Host {
            world: &case.world,
            sources: self.sources,
            player: prepared.player.map(RefCell::new),
            findings: Rc::clone(&found),
        };
        let watched = Rc::clone(&found);
        let mut sink = TraceSink::new(clock, |event| {
            if let Some(body) = translate::translate(event, &case.id) {
                self.emit(number, event.at.unix_ms, body);
            }
            match meter.count(event) {
                Some(finding) => {
                    watched.borrow_mut().push(finding);
                    ControlFlow::Break(())
                }
                None => ControlFlow::Continue(()),
            }
        });
        for (position, input) in prepared.inputs.into_iter().enumerate() {
            sink.set_turn(u32::try_from(position).unwrap_or(u32::MAX));
            let deadline = self.deadline(clock, position);
            let ended = tokio::select! {
                biased;
                () = self.stop.wait() => Ended::Interrupted,
                result = tokio::time::timeout_at(deadline.at, driver.turn(input, &mut sink, &host)) => match result {
                    Ok(Ok(())) => Ended::Done,
                    Ok(Err(error)) => Ended::Broken(error),
                    Err(_) => Ended::TooLate,
                },
            };
            let elapsed = clock.started().elapsed();
            talk.wall = elapsed;
            let mut found = found.borrow_mut();
            match ended {
                Ended::Done => {}
                Ended::Broken(error) => found.extend(findings::drive(&error, target.clone())),
                Ended::Interrupted => found.push(findings::plain(Cause::Interrupted, "the run was interrupted", None)),
                Ended::TooLate => {
                    let facts = findings::last_seen(sink.trace(), driver.unread(), elapsed);
                    found.push(match deadline.limit {
                        Some(limit) => {
                            let used = elapsed.as_secs_f64() * 1000.0;
                            Finding {
                                notes: facts,
                                ..meter::exceeded("max_wall_ms", limit, used.round(), self.sources)
                            }
                        }
                        None => findings::timeout(deadline.after, facts),
                    });
                }
            }
            if !found.is_empty() {
                break;
            }
            let checks = prepared.turn_checks.get(position).map(Vec::as_slice).unwrap_or_default();
            let failed =
                self.judge(number, clock, checks, &sink.trace().of_turn(u32::try_from(position).unwrap_or(0)), None);
            talk.checks.failed += failed.len();
            let stop = !failed.is_empty() && case.stop != StopRule::Never;
            talk.findings.extend(failed);
            if stop {
                break;
            }
        }
        talk.trace = sink.into_trace();
        let ending = driver.close().await;
        talk.stderr_tail = ending.stderr_tail;
        drop(host);
        talk.findings.splice(0..0, found.take());
        if talk.findings.is_empty() {
            // A limit below zero is exceeded by using nothing.
            talk.findings.extend(meter.exceeded());
            talk.findings.extend(self.wall_exceeded(talk.wall));
        }
        talk.metrics = meter.into_metrics();
        talk
    }

    /// When to give up, and whether that would be a limit of the case or the time limit of the run.
    fn deadline(&self, clock: Clock, turn: usize) -> Deadline {
        let started = Instant::from_std(clock.started());
        let far = Duration::from_hours(24 * 365);
        let timeout = self.options.timeout.or(self.case.timeout).unwrap_or(far);
        let mut deadline = Deadline { at: started + timeout.min(far), after: timeout, limit: None };
        let own = self.case.limits.wall_ms.map(|limit| (started, limit));
        let turn = self.case.turns.get(turn).and_then(|turn| turn.limits.wall_ms).map(|limit| (Instant::now(), limit));
        for (from, limit) in own.into_iter().chain(turn) {
            let after = wall(limit).min(far);
            if from + after < deadline.at {
                deadline = Deadline { at: from + after, after, limit: Some(limit) };
            }
        }
        deadline
    }

    fn wall_exceeded(&self, used: Duration) -> Option<Finding> {
        let limit = self.case.limits.wall_ms?;
        let used = used.as_secs_f64() * 1000.0;
        (used > limit.most).then(|| meter::exceeded("max_wall_ms", limit, used.round(), self.sources))
    }

    /// Evaluates checks and says what became of each. When something else went wrong before, none is evaluated.
    fn judge(
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
            let name = ready.check().name();
            self.emit(number, clock.now().unix_ms, Body::Check(CheckEnd { name, status, message }));
            found.extend(findings::check(ready.check(), &outcome, self.sources));
            if self.case.stop == StopRule::FirstFailure && !found.is_empty() {
                stopped = Some("an earlier check did not hold".into());
            }
        }
        found
    }
}

enum Ended {
    Done,
    Broken(agentci_drivers::DriveError),
    TooLate,
    Interrupted,
}

struct Deadline {
    at: Instant,
    after: Duration,
    /// The limit of the case that would be exceeded.
    limit: Option<Limit>,
}

fn wall(limit: Limit) -> Duration {
    Duration::try_from_secs_f64(limit.most.max(0.0) / 1000.0).unwrap_or(Duration::MAX)
}

/// What is said to the agent, as the value that its driver sends.
fn input(said: &Said, lookup: &dyn Fn(&str) -> Option<String>) -> Result<Value, String> {
    match said {
        Said::Input(data) => data.fill(lookup).map_err(|unset| unset.to_string()),
        Said::Messages(messages) => {
            let mut list = Vec::with_capacity(messages.len());
            for message in messages {
                let content = message.content.fill(lookup).map_err(|unset| unset.to_string())?;
                list.push(json!({ "role": message.role, "content": content }));
            }
            Ok(json!({ "messages": list }))
        }
        Said::Action(action) => Err(format!("this target has no action `{}`", action.kind.value)),
    }
}
