//! Which case runs when.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::sync::Arc;

use agentci_checks::ReadyCase;
use agentci_drivers::Clock;
use agentci_plan::{AnsweredBy, Case, Cases, ChatApi, ChatTarget, CommandPart, Mode, Suite, Target};
use agentci_source::Sources;
use agentci_stubs::Faults;
use agentci_verdict::{
    Body, NotLoaded, Policy, Rows, RunEnd, RunEvent, RunStart, ShardOf, Stability, StabilitySummary, Status,
};
use agentci_wire::FetchedSecrets;
use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use serde_json::Value;

use crate::draws::Draws;
use crate::evidence::Evidence;
use crate::job::{Job, SuiteDeadline};
use crate::options::Options;
use crate::pending::Waiting;
use crate::redact::{redact, suite_secrets};
use crate::resources::{CaseResources, Library};
use crate::services::{Services, takes_turns};
use crate::stop::Stop;
use crate::unused_faults::Unmet;

/// What the run's first event tells beside the plan.
#[derive(Debug, Clone, Default)]
pub struct Facts {
    /// The name of the run.
    pub run_id: String,
    /// The version of `agentci`.
    pub version: String,
    /// The commit that is tested.
    pub git_sha: Option<String>,
    /// Where the agent is defined.
    pub agent_path: Option<String>,
    /// Who asks and from where, by name, unless a case says otherwise.
    pub environment: BTreeMap<String, String>,
    /// What the user asked for beside the suite, by the name of the flag.
    pub options: BTreeMap<String, Value>,
    /// Which part of a run it is.
    pub shard: Option<Part>,
    /// What could not be loaded and was to be run with it.
    pub not_loaded: Vec<NotLoaded>,
}

/// A part of a run that several machines share.
#[derive(Debug, Clone, Default)]
pub struct Part {
    /// Which.
    pub of: ShardOf,
    /// Where each selected case of this part stands among those of all parts.
    pub positions: Vec<usize>,
}

/// One run of one suite.
pub struct Run<'r> {
    /// The files it was made from.
    pub sources: &'r Sources,
    /// The suite, whose own list of cases is not looked at.
    pub suite: &'r Suite,
    /// Its cases: each is let go when it was run, since what becomes of it needs the room.
    pub cases: Cases,
    /// The ready checks of each.
    pub ready: Vec<ReadyCase>,
    /// The cases to run, by position, in this order, none twice.
    pub selected: &'r [usize],
    /// What the first event tells.
    pub facts: &'r Facts,
    /// What the run as a whole is held to.
    pub policy: Option<&'r Policy>,
    /// How to run.
    pub options: &'r Options<'r>,
    /// Tells when to stop.
    pub stop: &'r Stop,
}

impl Run<'_> {
    /// The cases to run.
    pub(crate) fn selected(&self) -> impl Iterator<Item = &Case> + Clone {
        self.selected.iter().filter_map(|index| self.cases.get(*index).map(|case| &**case))
    }

    /// How many cases run at once. Agents that are started anew for each case at one fixed address take turns: the second could
    /// not listen, and the first would answer for both.
    pub(crate) fn lanes(&self) -> usize {
        if self.selected().any(takes_turns) {
            return 1;
        }
        self.options.parallel.clamp(1, self.selected.len().max(1))
    }
}

/// Runs the selected cases of a suite. Events come as things happen, so those of cases that run at once are interleaved; each
/// names its case. The result is the worst status of all cases, and at least a failure if a gate failed.
pub async fn run_suite(mut run: Run<'_>, emit: &mut dyn FnMut(RunEvent)) -> Status {
    let Run { sources, suite, selected, facts, policy, options, stop, .. } = run;
    let clock = Clock::start();
    let emit = RefCell::new(emit);
    let rows = RefCell::new(Rows::default());
    // Whether an agent is missing: a run can be held to that as to its gates.
    let lacks_agent = Cell::new(false);
    let suite_secrets = suite_secrets(suite, &run.cases, options.secrets);
    let secrets = RefCell::new(suite_secrets.clone());
    // Rows are kept where something is made of them.
    let keep = policy.is_some() || run.selected().any(|case| case.runs > 1);
    let suite_name: Arc<str> = suite.name.as_str().into();
    let of_run =
        |timestamp, body| RunEvent { suite: Arc::clone(&suite_name), case_id: None, attempt: None, timestamp, body };
    let send = |mut event: RunEvent| {
        // What belongs to a case was redacted there, with the secrets of that case.
        if event.case_id.is_none() {
            redact(&mut event.body, &mut secrets.borrow_mut());
        }
        if let Body::CaseEnd(end) = &event.body {
            lacks_agent.set(lacks_agent.get() || end.played.as_ref().is_some_and(|played| !played.meant));
        }
        let completed = if keep { rows.borrow_mut().add(&event) } else { None };
        let (case_id, timestamp) = (completed.and(event.case_id.clone()), event.timestamp);
        (emit.borrow_mut())(event);
        let several = completed.and_then(|index| rows.borrow().get(index).and_then(Stability::of_several));
        if let Some(stability) = several {
            (emit.borrow_mut())(RunEvent { case_id, ..of_run(timestamp, Body::Stability(stability)) });
        }
    };
    send(of_run(clock.now().unix_ms, Body::RunStart(Box::new(start(&run)))));
    let failed = Cell::new(false);
    let draws = Draws::new(options.seed);
    let evidence = Evidence::new(suite, options);
    let library = Library::default();
    let unmet = Unmet::new(&run.cases, options.mode);
    let services = Services::start(&run).await;
    let suite_deadline = suite_deadline(options, &clock);
    let (next, worst, not_run) = (Cell::new(0), Cell::new(Status::Pass), Cell::new(0));
    let (all_selected, lanes) = (selected.len() == run.cases.len(), run.lanes());
    let waiting = RefCell::new(Waiting::new(std::mem::take(&mut run.cases), std::mem::take(&mut run.ready)));
    // So many lanes as cases may run at once, each of which takes one case after the other: what a case takes while it runs is
    // there once for each lane, however many cases there are.
    let lane = async || {
        let (emit, secrets): (&dyn Fn(RunEvent), _) = (&send, &secrets);
        let (draws, evidence, library, unmet, services) = (&draws, &evidence, &library, &unmet, &services);
        let (suite_name, suite_secrets) = (&suite_name, &suite_secrets);
        while let Some(&index) = selected.get(next.get()) {
            let position = next.replace(next.get() + 1);
            // Whoever asks for a case that is not there, or was run already, is not told that all is well.
            let Some((case, ready)) = waiting.borrow_mut().take(index) else {
                worst.set(Status::Error);
                not_run.set(not_run.get() + 1);
                continue;
            };
            let (case, ready) = (&*case, &ready);
            let secrets = RefCell::new(secrets.borrow().clone());
            let part = facts.shard.as_ref();
            let index = part.and_then(|part| part.positions.get(position)).copied().unwrap_or(position);
            let job = Job {
                sources,
                suite,
                case,
                suite_name,
                case_id: case.id.shared(),
                ready,
                index,
                options,
                stop,
                suite_deadline,
                draws,
                suite_secrets,
                secrets,
                fetched: FetchedSecrets::default(),
                evidence,
                resources: CaseResources::new(library, &case.id, options.seed),
                told: RefCell::default(),
                evaluated: Cell::default(),
                unmet,
                services,
                emit,
            };
            match job.attempts(&failed).await {
                Some(status) => worst.set(worst.get().max(status)),
                None => not_run.set(not_run.get() + 1),
            }
        }
    };
    in_lanes(lanes, lane).await;
    drop(waiting);
    let (mut worst, not_run) = (worst.get(), not_run.get());
    // The end that was held back may be worse than all that were told.
    worst = worst.max(services.stop(&send).await.unwrap_or(Status::Pass));
    let now = clock.now();
    let stability = StabilitySummary::of_several(&rows.borrow());
    let end = RunEnd { wall_ms: now.offset_us / 1000, interrupted: stop.stopped(), not_run, stability };
    if let Some(policy) = policy {
        let whole = all_selected && not_run == 0 && !stop.stopped();
        // A part can not be told from a bad run: all parts are judged together.
        let mut report =
            if facts.shard.is_some() { policy.put_off() } else { policy.judge(&suite.name, &rows.borrow(), whole) };
        // A recording that could not be made is missed by whoever plays it.
        let sound = not_run == 0 && !stop.stopped() && options.mode != Mode::Record && rows.borrow().all_run();
        worst = report.decide(worst, sound);
        send(of_run(now.unix_ms, Body::Gates(Box::new(report))));
    }
    send(of_run(now.unix_ms, Body::RunEnd(end)));
    if options.require_agent && lacks_agent.get() { worst.max(Status::Fail) } else { worst }
}

/// Runs so many lanes at once until all of them are done.
async fn in_lanes(count: usize, lane: impl AsyncFn()) {
    if count == 1 {
        // `FuturesUnordered` with a single future wakes itself twice per event.
        Box::pin(lane()).await;
    } else {
        let mut lanes: FuturesUnordered<_> = (0..count).map(|_| lane()).collect();
        while lanes.next().await.is_some() {}
    }
}

fn suite_deadline(options: &Options<'_>, clock: &Clock) -> Option<SuiteDeadline> {
    let after = options.suite_timeout?;
    Some(SuiteDeadline { at: clock.started().checked_add(after)?, after })
}

fn start(run: &Run<'_>) -> RunStart {
    let Run { suite, selected, facts, options, .. } = run;
    let drawn = run.selected().any(|case| {
        let by_mock = matches!(&*case.target, Target::Mock(mock) if mock.script.draws());
        let by_chat = matches!(&*case.target, Target::Chat(chat)
            if matches!(&chat.connector.api, ChatApi::Scripted(script) if script.draws()));
        let by_model = case.world.model.as_ref().is_some_and(|model| model.script.draws());
        by_mock || by_chat || by_model || Faults::drawn(&case.world.faults)
    });
    let to_run = || run.selected().filter(|case| case.skip.is_none() && case.broken.is_none());
    let played = |case: &&Case| matches!(case.answered_by(options.mode), AnsweredBy::Recording(_));
    let without_agent = |case: &&Case| case.answered_by(options.mode) == AnsweredBy::Script;
    RunStart {
        agentci_version: facts.version.clone(),
        run_id: facts.run_id.clone(),
        dialect: suite.dialect.name().into(),
        mode: options.mode.name().into(),
        suite_path: suite.path.display().to_string(),
        agent_command: agent_command(run),
        cases_total: selected.len(),
        cases_left_out: run.cases.len().saturating_sub(selected.len()),
        cases_played: to_run().filter(played).count(),
        cases_without_agent: to_run().filter(without_agent).count(),
        require_agent: options.require_agent,
        git_sha: facts.git_sha.clone(),
        seed: drawn.then_some(options.seed),
        shard: facts.shard.as_ref().map(|part| part.of.clone()),
        agent: same(run, |chat| &chat.agent),
        agent_path: facts.agent_path.clone(),
        connector: same(run, |chat| &chat.connector.id),
        environment: facts.environment.clone(),
        options: facts.options.clone(),
        not_loaded: facts.not_loaded.clone(),
    }
}

/// What all cases have in common whose agent is prompts and a model.
fn same(run: &Run<'_>, of: impl Fn(&ChatTarget) -> &String) -> Option<String> {
    let mut found: Option<&String> = None;
    for case in run.selected() {
        let Target::Chat(chat) = &*case.target else { return None };
        if *found.get_or_insert(of(chat)) != of(chat) {
            return None;
        }
    }
    found.cloned()
}

/// The command of the agent, if the cases have one and the same.
fn agent_command(run: &Run<'_>) -> Vec<String> {
    let mut targets = run.selected().map(|case| &case.target);
    let Some(first) = targets.next() else { return Vec::new() };
    let command = match &**first {
        Target::Process(process) => &process.command,
        Target::Http(http) => match &http.server {
            Some(server) => &server.command,
            None => return Vec::new(),
        },
        _ => return Vec::new(),
    };
    if targets.any(|target| target != first) {
        return Vec::new();
    }
    let written =
        |part: &CommandPart| part.file.as_ref().map_or_else(|| part.text.written(), |file| file.display().to_string());
    command.iter().map(written).collect()
}
