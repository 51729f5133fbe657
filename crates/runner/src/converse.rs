//! The conversation with the agent: turns, limits, and what came of it.

use std::cell::RefCell;
use std::ops::ControlFlow;
use std::rc::Rc;
use std::time::Duration;

use agentci_checks::ReadyCheck;
use agentci_drivers::{Clock, Context, DriveError, Driver, Recording, TraceSink};
use agentci_plan::{Case, Limit, Speech, StopRule, Target, Turn};
use agentci_stubs::{Faults, Recorder};
use agentci_trace::{Change, Event, Joiner, Kind, Observer, Redactor, Trace, TracedCall};
use agentci_verdict::{Cause, Finding, Metrics};
use agentci_wire::Seldom;
use tokio::time::Instant;

use crate::job::Job;
use crate::meter::{self, Meter, Meters};
use crate::mock_model::Model;
use crate::prepare::Prepared;
use crate::recognised::Forms;
use crate::services::{Late, OpenTools};
use crate::tool_host::{Host, Source, allowed};
use crate::trace_limits::Volume;
use crate::variables::Scope;
use crate::{findings, mock_model, model_trouble, recording, silence, translate, unreported, unused_faults};

/// What came of the conversation.
#[derive(Default)]
pub(crate) struct Conversation {
    pub(crate) trace: Trace,
    pub(crate) metrics: Metrics,
    pub(crate) wall: Duration,
    pub(crate) stderr_tail: Vec<String>,
    pub(crate) findings: Vec<Finding>,
    /// Lines of the recording that no call asked for, if the agent came to its end.
    pub(crate) unused_lines: Vec<usize>,
    /// Checks of turns that did not hold.
    pub(crate) failed_checks: usize,
    /// What is odd and does not keep the case from passing.
    pub(crate) warnings: Vec<String>,
    /// What went wrong on purpose, and what did not.
    pub(crate) faults: Vec<Faults>,
    /// Whether the agent could not be reached or had too many requests, which may be over the next time.
    pub(crate) may_pass: bool,
    /// Its calls of tools that come when it is over, where its agent goes on.
    pub(crate) late: Option<Late>,
    /// Whether a scripted model stood in for the agent's.
    pub(crate) has_model: bool,
    /// The paths of that model that the agent asked for.
    pub(crate) reached: Vec<String>,
    /// Whether the agent may still be busy with a turn that nobody waits for any more.
    given_up: bool,
}

impl Conversation {
    /// Takes note of how a turn ended.
    fn note(&mut self, ended: &Ended) {
        self.given_up =
            matches!(ended, Ended::TooLate | Ended::Broken(DriveError::Timeout { .. } | DriveError::Stopped));
        self.may_pass = matches!(ended, Ended::Broken(error) if error.may_pass());
    }
}

/// How a turn ended.
enum Ended {
    Done,
    Broken(DriveError),
    TooLate,
    Interrupted,
}

impl Ended {
    fn of(result: Result<(), DriveError>) -> Self {
        match result {
            Ok(()) => Ended::Done,
            Err(error) => Ended::Broken(error),
        }
    }
}

/// When to give up.
struct Deadline {
    at: Instant,
    after: Duration,
    /// The limit of the case that would be exceeded; without one it is the time limit of the run.
    limit: Option<Limit>,
    /// Whether it is the suite's rather than the case's.
    of_suite: bool,
}

/// Starts the agent and takes the turns.
pub(crate) async fn converse(job: &Job<'_>, number: u32, clock: Clock, mut prepared: Prepared<'_>) -> Conversation {
    let case = job.case;
    let warnings = prepared.warning.take().into_iter().collect();
    let mut talk = Conversation { warnings, has_model: prepared.model.is_some(), ..Conversation::default() };
    let mut driver = match open(job, number, &mut prepared).await {
        Ok(driver) => driver,
        Err(refused) => {
            talk.may_pass = refused.iter().any(|finding| finding.cause == Cause::Unreachable);
            talk.findings.extend(refused);
            return talk;
        }
    };
    if let Some(wire) = prepared.wire.take() {
        driver.listen(wire);
    }
    if prepared.scope.is_spent() {
        talk.stderr_tail = driver.close().await.stderr_tail;
        talk.findings.push(Scope::too_much(job.place(case.target.span())));
        return talk;
    }
    let found: Rc<RefCell<Vec<Finding>>> = Rc::default();
    let mut volume = Volume::default();
    let host = Host {
        world: &case.world,
        sources: job.sources,
        source: prepared.source,
        scripted: RefCell::new(prepared.scripted),
        faults: RefCell::new(prepared.faults),
        normalizer: &prepared.normalizer,
        findings: Rc::clone(&found),
    };
    let forms = Forms::of(job.suite, case);
    let of_case = Meter::of_case(&case.limits, job.sources, &prepared.secrets);
    let meters = RefCell::new(Meters::new(of_case));
    let mut sink = TraceSink::new(clock, |event| {
        if let Some(body) = translate::translate(event, &job.case_id) {
            job.emit(number, event.at.unix_ms, body);
        }
        let mut meters = meters.borrow_mut();
        let mut reasons = stops(job, &mut meters, event);
        if reasons.is_empty() {
            reasons.extend(volume.count(event));
        }
        let stop = !reasons.is_empty() || meters.is_over();
        found.borrow_mut().extend(reasons);
        if stop { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })
    .with_change(|kind| match kind {
        Kind::FinalOutput(output) => prepared.normalizer.shared(output),
        Kind::ToolResult(result) => forms.recognise(result),
        _ => {}
    });
    for (position, (turn, input)) in case.turns.iter().zip(prepared.inputs).enumerate() {
        let numbered = u32::try_from(position).unwrap_or(u32::MAX);
        sink.set_turn(numbered);
        meters.borrow_mut().begin(numbered, Meter::of_turn(&turn.limits, job.sources));
        let deadline = deadline(job, clock, turn);
        let ended = if driver.answers_at_once() {
            at_once(job, &deadline, || driver.turn_at_once(&input, &mut sink)).await
        } else {
            let turn = driver.turn(&input, &mut sink, &host);
            tokio::select! {
                biased;
                () = Seldom::new(job.stop.wait()) => Ended::Interrupted,
                // Before the turn, which may use up what the runtime lets a task do at a time.
                () = Seldom::new(tokio::time::sleep_until(deadline.at)) => Ended::TooLate,
                result = turn => Ended::of(result),
            }
        };
        talk.wall = clock.started().elapsed();
        take_rest(prepared.model.as_ref(), &mut driver, &mut sink);
        talk.note(&ended);
        let trouble = trouble(job, ended, &deadline, || findings::last_seen(sink.trace(), driver.unread(), talk.wall));
        let turn = counts_turns(case).then_some(numbered);
        found.borrow_mut().extend(trouble.map(|finding| Finding { turn, ..finding }));
        put_misses_first(job, prepared.tools.as_ref(), sink.trace(), &mut found.borrow_mut());
        if !found.borrow().is_empty() {
            break;
        }
        let checks = prepared.turn_checks.get(position).map(Vec::as_slice).unwrap_or_default();
        let failed = judge_turn(job, number, clock, checks, sink.trace(), numbered).await;
        talk.failed_checks += failed.len();
        let stop = !failed.is_empty() && case.stop != StopRule::Never;
        talk.findings.extend(failed);
        if stop {
            break;
        }
    }
    talk.trace = sink.into_trace();
    let recording = driver.take_recording();
    talk.stderr_tail = driver.close().await.stderr_tail;
    // The model is there for as long as the agent is.
    if let Some(model) = prepared.model {
        talk.reached = model.reached();
    }
    talk.findings.splice(0..0, found.take());
    look_around(job, number, prepared.tools.as_ref(), &mut talk).await;
    conclude(job, &mut talk, meters.into_inner().conclude());
    talk.faults = unused_faults::seen(job, host.faults.into_inner(), prepared.tools.as_ref());
    put_away(job, host.source, prepared.tools, prepared.secrets, recording, &mut talk).await;
    talk
}

/// Takes what was seen of the agent until now, and what it was sent of answers that it did not wait for.
fn take_rest(model: Option<&Model>, driver: &mut Driver, sink: &mut TraceSink<'_>) {
    if let Some(model) = model {
        model.flush();
    }
    driver.take_seen(sink);
}

/// What the agent says after a tool or its model did not answer is not judged.
fn put_misses_first(job: &Job<'_>, tools: Option<&OpenTools>, trace: &Trace, found: &mut Vec<Finding>) {
    findings::put_first(found, tools.map(|tools| tools.misses(job).0).unwrap_or_default());
    model_trouble::put_first(found, model_trouble::judge(job, trace).findings);
}

/// What stops the agent after an event: a call that it may not make, or limits.
fn stops(job: &Job<'_>, meters: &mut Meters<'_>, event: &Event) -> Vec<Finding> {
    let changes = meters.join(event);
    let refused = match &event.kind {
        // Whatever a model asked for: this is what the agent called.
        Kind::ToolCall(call) if call.observer == Observer::Stub => {
            allowed(&job.case.world, job.sources, call).err().map(|finding| *finding)
        }
        _ => not_allowed(job, meters.joiner(), &changes),
    };
    match refused {
        Some(finding) => vec![finding],
        None => meters.count(event, &changes),
    }
}

/// Why the agent may not have made a call that its model asked for. A call that the protocol alone tells of is refused by who
/// answers it.
fn not_allowed(job: &Job<'_>, joiner: &Joiner, changes: &[Change]) -> Option<Finding> {
    let listed = job.case.world.allowed.as_ref()?;
    changes.iter().find_map(|change| {
        let Change::Counts(number) = *change else { return None };
        let may = joiner.goes_by(number, |name| listed.iter().any(|allowed| allowed.value == name));
        let call = joiner.decisive(number).filter(|_| joiner.was_requested(number) && !may)?;
        allowed(&job.case.world, job.sources, call).err().map(|finding| *finding)
    })
}

/// Evaluates the checks of one turn. What happened in it is put together for them alone.
async fn judge_turn(
    job: &Job<'_>,
    number: u32,
    clock: Clock,
    checks: &[ReadyCheck],
    trace: &Trace,
    turn: u32,
) -> Vec<Finding> {
    if checks.is_empty() {
        return Vec::new();
    }
    job.judge(number, clock, checks, &trace.of_turn(turn), None, Some(turn)).await
}

/// A turn that waits for nothing: neither a timer nor a signal could come between. Ten thousand of them must not keep others from
/// their turn, though.
async fn at_once(job: &Job<'_>, deadline: &Deadline, turn: impl FnOnce() -> Result<(), DriveError>) -> Ended {
    tokio::task::coop::consume_budget().await;
    if job.stop.stopped() {
        Ended::Interrupted
    } else if deadline.at <= Instant::now() {
        Ended::TooLate
    } else {
        Ended::of(turn())
    }
}

/// Reaches the agent; if that can not be, why, unless it was said already.
async fn open(job: &Job<'_>, number: u32, prepared: &mut Prepared<'_>) -> Result<Driver, Vec<Finding>> {
    let (case, draws) = (job.case, job.draws.of(number));
    let line = std::mem::take(&mut prepared.line);
    let context = Context {
        case_id: &case.id,
        lookup: &|name| prepared.scope.get(name),
        folder: &job.suite.folder,
        environment: &prepared.environment,
        bases: &prepared.bases,
        draws: &draws,
        request_timeout: job.options.timeout,
        attempt: number,
        tools: mock_model::answers_tools(job),
        agents: &job.suite.agents,
        resources: &job.resources,
        fetched: &job.fetched,
    };
    let target = || job.place(case.target.span());
    match Driver::open(&case.target, &context, line).await {
        Ok(Ok(driver)) => Ok(driver),
        Ok(Err(error)) => Err(findings::drive_target(&error, &case.target, job.sources).into_iter().collect()),
        Err(unset) => Err(vec![match &*case.target {
            Target::Chat(chat) => {
                let message = format!("{unset}, which the connector `{}` asks for", chat.connector.id);
                findings::unset_connector(message, job.place(chat.connector.url.span))
            }
            _ => findings::unset(unset.to_string(), target()),
        }]),
    }
}

/// Ends where answers came from, and keeps what there is to keep of it.
async fn put_away(
    job: &Job<'_>,
    source: Source,
    tools: Option<OpenTools>,
    mut secrets: Redactor,
    recording: Option<Recording>,
    talk: &mut Conversation,
) {
    let shared = job.services.tools.is_shared(job) && matches!(&*job.case.target, Target::Http(_));
    talk.late = tools.as_ref().filter(|_| shared).map(|tools| tools.late(job));
    job.fetched.each(|secret| secrets.learn_value(secret));
    let secrets = &secrets;
    let unsaved = tools.filter(|_| came_to_its_end(talk)).and_then(|tools| tools.save(job, secrets));
    talk.findings.extend(unsaved);
    match source {
        Source::Execute(toolbox, recorder) => {
            Box::pin(toolbox.close()).await;
            let saved = recorder.and_then(|recorder| save(job, recorder.into_inner(), secrets, talk));
            talk.findings.extend(saved);
        }
        Source::Replay(player) if talk.trace.final_output().is_some() => {
            talk.unused_lines = player.into_inner().unused_lines();
        }
        Source::Replay(_) | Source::Nothing => {}
    }
    talk.findings.extend(recording.and_then(|kept| recording::save(job, &kept, secrets, &talk.findings)));
}

/// What its tools and the agent itself have to say when all is over.
async fn look_around(job: &Job<'_>, number: u32, tools: Option<&OpenTools>, talk: &mut Conversation) {
    if let Some(tools) = tools {
        let (misses, warnings) = tools.misses(job);
        talk.warnings.extend(warnings);
        findings::put_first(&mut talk.findings, misses);
    }
    let troubles = model_trouble::judge(job, &talk.trace);
    talk.warnings.extend(troubles.warnings);
    model_trouble::put_first(&mut talk.findings, troubles.findings);
    if talk.findings.is_empty() {
        return;
    }
    let broke_off = talk.findings.iter().any(|found| matches!(found.cause, Cause::AgentExited | Cause::Unreachable));
    let (left, printed) = Box::pin(job.services.agents.look(job, number, broke_off)).await;
    talk.stderr_tail.extend(printed);
    if let (Some(left), Some(finding)) = (left, talk.findings.first_mut()) {
        finding.notes.push(left);
    }
    if talk.given_up && job.services.tools.is_shared(job) {
        Box::pin(job.services.agents.give_up(job, number)).await;
    }
}

/// Whether it is said in which turn something happened; a question that is the only one needs no number.
fn counts_turns(case: &Case) -> bool {
    let one_question = matches!(&*case.target, Target::Http(_)) && case.turns.len() == 1;
    case.target.takes_requests() && !one_question
}

/// Whether the agent came to its end, whatever the checks will say.
fn came_to_its_end(talk: &Conversation) -> bool {
    let trouble = |finding: &Finding| finding.cause != Cause::Check && finding.cause != Cause::Limit;
    let ended = |event: &Event| matches!(event.kind, Kind::TurnEnd | Kind::FinalOutput(_));
    let seen = |event: &&Event| {
        // What is seen on the wire may come when the turn is over.
        !matches!(
            event.kind,
            Kind::ModelCall { .. } | Kind::ModelTrouble(_) | Kind::Usage(_) | Kind::ToolCall(_) | Kind::ToolResult(_)
        )
    };
    talk.trace.events().iter().rev().find(seen).is_some_and(ended) && !talk.findings.iter().any(trouble)
}

/// What can only be said when all is over.
fn conclude(job: &Job<'_>, talk: &mut Conversation, meter: Meter<'_>) {
    if talk.findings.is_empty() {
        talk.findings.extend(silence::finding(job, &talk.trace));
    }
    if talk.findings.is_empty() {
        // A limit below zero is exceeded by using nothing.
        talk.findings.extend(meter.exceeded());
        talk.findings.extend(wall_exceeded(job, talk.wall));
    }
    talk.metrics = meter.into_metrics();
    let model_calls = &mut talk.metrics.model_calls;
    match &*job.case.target {
        // There is no agent that could ask a model.
        Target::Mock(_) => *model_calls = None,
        // Elsewhere, that no request was seen does not mean that there was none.
        target if matches!(target, Target::Chat(_)) || job.case.world.model.is_some() => {
            model_calls.get_or_insert_default();
        }
        _ => {}
    }
    if talk.findings.is_empty() {
        let judged = unreported::judge(job, &talk.trace, &talk.metrics);
        talk.findings.extend(judged.findings);
        talk.warnings.extend(judged.warnings);
    }
    if let Some(finding) = talk.findings.first_mut() {
        finding.notes.extend(faults_met(&talk.trace));
    }
}

/// What went wrong on purpose before something else did.
fn faults_met(trace: &Trace) -> Vec<String> {
    let note = |call: TracedCall<'_>| {
        let fault = call.results().find_map(|result| result.fault.as_ref())?;
        Some(format!("on purpose, the answer to `{}` met the fault `{fault}`", call.call.name))
    };
    trace.asked_calls().into_iter().filter_map(note).collect()
}

/// Keeps the recording of a case that came to its end, whatever its checks will say.
fn save(job: &Job<'_>, recorder: Recorder, secrets: &Redactor, talk: &Conversation) -> Option<Finding> {
    if !came_to_its_end(talk) {
        return None;
    }
    let error = recorder.save(secrets).err()?;
    let message = format!("the cassette could not be written: {error}");
    Some(findings::plain(Cause::Config, message, Some(job.place(job.case.span))))
}

/// What a turn that did not end well comes to.
fn trouble(job: &Job<'_>, ended: Ended, deadline: &Deadline, facts: impl FnOnce() -> Vec<String>) -> Option<Finding> {
    match ended {
        Ended::Done => None,
        Ended::Broken(error) => findings::drive_target(&error, &job.case.target, job.sources),
        Ended::Interrupted => Some(findings::interrupted()),
        Ended::TooLate => Some(match deadline.limit {
            Some(limit) => {
                let used = (deadline.at.elapsed() + deadline.after).as_secs_f64() * 1000.0;
                let mut finding = meter::exceeded("max_wall_ms", limit, used.ceil(), job.sources);
                finding.notes = facts();
                finding.label = "the agent was not done by then".into();
                finding
            }
            None if deadline.of_suite => findings::suite_timeout(deadline.after),
            None => {
                let mut finding = findings::timeout(deadline.after, facts());
                let speaks = matches!(&*job.case.target, Target::Process(target) if target.speaks == Speech::Protocol);
                if speaks && finding.notes.first().is_some_and(|note| note == findings::SILENT) {
                    finding.help = Some(
                        "an agent speaks in JSON lines; one that just prints its answer needs `speaks: text` beside its \
                         `command`. Raise `--timeout` or the case's own limit if it needs longer"
                            .into(),
                    );
                }
                finding
            }
        }),
    }
}

fn deadline(job: &Job<'_>, clock: Clock, turn: &Turn) -> Deadline {
    let started = Instant::from_std(clock.started());
    let far = Duration::from_hours(24 * 365);
    // Of a server each request may take so long; a driver sees to that.
    let of_run = job.options.timeout.filter(|_| !job.case.target.takes_requests());
    let timeout = of_run.or(job.case.timeout).unwrap_or(far);
    let mut deadline = Deadline { at: started + timeout.min(far), after: timeout, limit: None, of_suite: false };
    if let Some(suite) = job.suite_deadline.filter(|suite| Instant::from_std(suite.at) < deadline.at) {
        deadline = Deadline { at: Instant::from_std(suite.at), after: suite.after, limit: None, of_suite: true };
    }
    let own = job.case.limits.wall_ms.map(|limit| (started, limit));
    let turn = turn.limits.wall_ms.map(|limit| (Instant::now(), limit));
    for (from, limit) in own.into_iter().chain(turn) {
        let after = Duration::try_from_secs_f64(limit.most.max(0.0) / 1000.0).unwrap_or(Duration::MAX).min(far);
        if from + after < deadline.at {
            deadline = Deadline { at: from + after, after, limit: Some(limit), of_suite: false };
        }
    }
    deadline
}

fn wall_exceeded(job: &Job<'_>, used: Duration) -> Option<Finding> {
    let limit = job.case.limits.wall_ms?;
    let used = used.as_secs_f64() * 1000.0;
    (used > limit.most).then(|| meter::exceeded("max_wall_ms", limit, used.round(), job.sources))
}
