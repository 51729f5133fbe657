//! Answers the tool calls that an agent does not execute itself: from a script, a recording, or the live tools.

use std::cell::RefCell;
use std::sync::Arc;
use std::time::Duration;

use agentci_plan::{Cassette, Mode, ToolSource, World};
use agentci_stubs::{CassettePlayer, CassetteRecorder, Faults, Normalizer, ScriptedTools, Tape, Toolbox};
use agentci_verdict::{Finding, ReplaySource};

use crate::recording::{makes_snapshots, replay_source};
use crate::{attempt::Attempt, findings, job::CaseJob, setup_error::SetupError};

/// The sources of answers to the tool calls of one attempt.
///
/// An agent may make several calls at once, so a [`ToolHost`](agentci_drivers::ToolHost) only has a shared reference:
/// state that changes with each call is in a cell, and no cell is borrowed while something is awaited.
pub(crate) struct Tools {
    pub(crate) source: LiveSource,
    pub(crate) scripted: RefCell<ScriptedTools>,
    pub(crate) faults: RefCell<Faults>,
    pub(crate) normalizer: Normalizer,
}

/// The source of answers that are not scripted.
pub(crate) enum LiveSource {
    /// There is no source.
    Nothing,
    /// A recording.
    Replay(RefCell<CassettePlayer>),
    /// The live tools; their answers are recorded if there is a recorder.
    Execute(Box<Toolbox>, Option<RefCell<CassetteRecorder>>),
}

impl Tools {
    /// Opens the tools, and returns the recording that is replayed.
    pub(crate) async fn open(
        attempt: &Attempt<'_>,
        faults: Faults,
    ) -> Result<(Self, Option<ReplaySource>), SetupError> {
        let (job, case) = (attempt.job, attempt.job.case);
        let normalizer =
            Normalizer::new(&case.world.normalization).map_err(|message| job.invalid(case.span, message))?;
        let scripted = ScriptedTools::new(&case.world.scripted, &attempt.lookup())
            .map_err(|error| attempt.variables.unset(error.to_string(), job.place(case.span)))?;
        let (source, replay) = if job.run.options.mode == Mode::Replay {
            recorded(job)?
        } else {
            let limit = patience(job);
            let opened = tokio::time::timeout(limit, executed(attempt)).await;
            let late = |_| findings::timeout(limit, vec!["its tools were not ready in time".into()]);
            (opened.map_err(late)??, None)
        };
        let (scripted, faults) = (RefCell::new(scripted), RefCell::new(faults));
        Ok((Self { source, scripted, faults, normalizer }, replay))
    }
}

impl LiveSource {
    /// Stops the tools and all processes that they started; returns the recorder and the player.
    pub(crate) async fn close(self) -> (Option<CassetteRecorder>, Option<CassettePlayer>) {
        match self {
            LiveSource::Nothing => (None, None),
            LiveSource::Replay(player) => (None, Some(player.into_inner())),
            LiveSource::Execute(toolbox, recorder) => {
                Box::pin(toolbox.close()).await;
                (recorder.map(RefCell::into_inner), None)
            }
        }
    }
}

/// The timeout for opening the tools of a case: that of the case.
fn patience(job: &CaseJob<'_>) -> Duration {
    let wall = job.case.limits.wall_ms.map(|limit| Duration::try_from_secs_f64(limit.most.max(0.0) / 1000.0));
    let timeout = job.run.options.settings.timeout.or(job.case.timeout);
    let far = Duration::from_hours(24);
    timeout.unwrap_or(far).min(wall.and_then(Result::ok).unwrap_or(far)).max(Duration::from_secs(1))
}

/// The source in a replay: the cassette, if there is one.
fn recorded(job: &CaseJob<'_>) -> Result<(LiveSource, Option<ReplaySource>), SetupError> {
    let Some(cassette) = cassette(&job.case.world) else { return Ok((LiveSource::Nothing, None)) };
    let tape = tape(job, cassette)?;
    let replay = replay_source(tape.path(), tape.sha256());
    job.secrets.meet(|secrets| {
        for entry in tape.entries() {
            secrets.learn(&entry.args);
            secrets.learn(&entry.result);
        }
    });
    Ok((LiveSource::Replay(RefCell::new(CassettePlayer::new(Arc::new(tape)))), Some(replay)))
}

/// The source in record and live mode: the live tools.
async fn executed(attempt: &Attempt<'_>) -> Result<LiveSource, SetupError> {
    let (job, world) = (attempt.job, &attempt.job.case.world);
    let recorder = match (job.run.options.mode, cassette(world)) {
        (Mode::Record, Some(cassette)) => Some(RefCell::new(CassetteRecorder::new(&cassette.path))),
        (Mode::Record, None) if !is_recorded(world) && !records_routes(world) && !makes_snapshots(job) => {
            let finding = job.invalid(job.case.span, "the case has no `cassette` to record to");
            return Err(finding.help(findings::how_to_record("NAME")).into());
        }
        _ => None,
    };
    let toolbox =
        Box::pin(Toolbox::open(&world.live, &job.run.options.settings.tools, &world.executed(), &attempt.lookup()))
            .await
            .map_err(|error| findings::toolbox(error, job.run.sources))?;
    Ok(LiveSource::Execute(Box::new(toolbox), recorder))
}

/// The cassette of a case's tools.
pub(crate) fn cassette(world: &World) -> Option<&Cassette> {
    if let ToolSource::Cassette(cassette) = &world.tools { Some(cassette) } else { None }
}

/// Whether all requests of the agent are recorded, or those to its model.
fn is_recorded(world: &World) -> bool {
    world.recording.is_some() || world.recorded_model.is_some()
}

/// Whether there is a file to record the answers of tools over HTTP to.
fn records_routes(world: &World) -> bool {
    matches!(&world.tools, ToolSource::Routes(routes) if routes.record.is_some())
}

fn tape(job: &CaseJob<'_>, cassette: &Cassette) -> Result<Tape, SetupError> {
    let numbers = job.run.suite.conventions.recorded_numbers;
    let tape = Tape::load(job.run.options.files, &cassette.path, &job.secrets.brought(), numbers);
    tape.map_err(|error| {
        let finding = job.invalid(cassette.span, error.to_string()).help(error.help());
        Finding { label: "this recording".into(), ..finding }.into()
    })
}
