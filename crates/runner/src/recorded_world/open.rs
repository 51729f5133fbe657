//! Starting the recorder of an attempt.

use std::net::{IpAddr, Ipv4Addr};
use std::sync::{Arc, Mutex};

use agentci_drivers::ToolBases;
use agentci_plan::{Mode, RecordedWorld, Turn, TurnInput};
use agentci_recorder::{MatchRules, OnMiss, RecorderSession, ReplayPace, SessionMode, SessionOptions};
use agentci_stubs::Faults;
use agentci_trace::EventKind;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};

use super::environment::{outside, roots};
use super::session::{SessionUse, WorldSession};
use super::{faults, file, mcp_streams::McpAddresses, observe::ExchangeReader};
use crate::{attempt::Attempt, job::CaseJob, open_error::NotOpened, services::host_and_port};

/// Starts the recorder, where the case has a recorded world; `observer` is told what the agent does. What leads to `bases` and
/// `hosts` is played by us, and is no part of the recorded world.
pub(crate) async fn open(
    attempt: &Attempt<'_>,
    observer: Option<&UnboundedSender<EventKind>>,
    bases: &ToolBases,
    hosts: Vec<String>,
    faults: Faults,
) -> Result<Option<WorldSession>, NotOpened> {
    let job = attempt.job;
    let (Some(world), Some(observer)) = (job.case.recorded_world(), observer) else { return Ok(None) };
    let (mode, used) = mode(job, world)?;
    let (keys, mcp) = match &mode {
        SessionMode::Replay { recording, .. } | SessionMode::Fork { recording, .. } => {
            (recording.header.keys.clone(), McpAddresses::of(recording))
        }
        SessionMode::Record => (Vec::new(), McpAddresses::default()),
    };
    let environment = outside(attempt);
    let ours: Vec<String> = bases.bases.iter().filter_map(|(_, base)| host_and_port(base)).chain(hosts).collect();
    let (seen, told) = unbounded_channel();
    let options = SessionOptions {
        mode,
        bind: IpAddr::V4(Ipv4Addr::LOCALHOST),
        advertise: None,
        roots: roots(attempt, &environment),
        pass: ours.clone(),
        only: Vec::new(),
        allow: ours,
        environment,
        folder: None,
        tap: job.run.options.settings.tap.clone(),
        upstream_roots: None,
        secrets: job.secrets.all(),
        observer: Some(seen),
    };
    let session = Box::pin(RecorderSession::start(options))
        .await
        .map_err(|error| job.invalid(world.recording.span, format!("the recorder could not be started: {error}")))?;
    let faults = Arc::new(Mutex::new(faults));
    faults::install(&session, &faults, world.holds, mcp.clone());
    let reader = ExchangeReader::new(job, world.holds, mcp);
    Ok(Some(WorldSession::new(Arc::new(session), (used, faults), &keys, reader, told, observer.clone())))
}

/// What the session does with requests, and what becomes of its recording.
fn mode(job: &CaseJob<'_>, world: RecordedWorld<'_>) -> Result<(SessionMode, SessionUse), NotOpened> {
    let options = job.run.options;
    let replayed = |on_miss| -> Result<_, NotOpened> {
        let (recording, replay) = file::read(job, world)?;
        let matching = &job.case.world.matching;
        let ignore = matching.ignore.iter().map(|pointer| pointer.value.clone()).collect();
        let rules = MatchRules { ignore, system: matching.system, given: given(job), ..MatchRules::default() };
        Ok((SessionMode::Replay { recording, rules, on_miss, pace: ReplayPace::Fast }, replay))
    };
    match options.mode {
        Mode::Live => Ok((SessionMode::Record, SessionUse::Watched)),
        Mode::Record if options.settings.update && world.recording.path.exists() => {
            Ok((replayed(OnMiss::Record)?.0, SessionUse::Updated))
        }
        Mode::Record => Ok((SessionMode::Record, SessionUse::Recorded)),
        Mode::Replay => {
            let (mode, replay) = replayed(OnMiss::Fail)?;
            Ok((mode, SessionUse::Replayed(replay)))
        }
    }
}

/// What the suite says to the agent, as it is written: ids in it are not made up by the agent.
fn given(job: &CaseJob<'_>) -> Vec<String> {
    let words = |turn: &Turn| match &turn.said {
        TurnInput::Input(input) => vec![input.written().to_string()],
        TurnInput::Messages(messages) => messages.iter().map(|message| message.content.written()).collect(),
        TurnInput::Action(action) => vec![format!("{:?}", action.arguments)],
    };
    job.case.turns.iter().flat_map(words).collect()
}
