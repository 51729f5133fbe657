//! Prepares everything an attempt needs before its agent is started.

use std::sync::Arc;

use agentci_exchange::{AgentLine, ExchangePlayer};
use agentci_plan::{Mode, ToolSource, mix};
use agentci_stubs::Faults;
use agentci_trace::EventKind;
use agentci_verdict::ReplaySource;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use crate::attempt::Attempt;
use crate::filled_case::FilledCase;
use crate::job::CaseJob;
use crate::mcp_servers::{self, McpServers};
use crate::mock_model::{self, AttemptModel};
use crate::recording::{self, NetworkTape};
use crate::secret_sources::{learn_filled, learn_variables, learn_written};
use crate::setup_error::SetupError;
use crate::shared_services::{PlayedWorld, Surroundings, surroundings};
use crate::tools::Tools;
use crate::variables::VariableScope;
use crate::{findings, hook};

/// An attempt that is ready for its agent.
pub(crate) struct PreparedAttempt {
    pub(super) filled: FilledCase,
    pub(super) tools: Tools,
    pub(super) around: Surroundings,
    pub(super) model: Option<AttemptModel>,
    pub(super) mcp: Option<McpServers>,
    /// Receives what the model and the tools see.
    pub(super) wire: Option<UnboundedReceiver<EventKind>>,
    /// The connection to the agent: live, recorded or replayed.
    pub(super) line: AgentLine,
    /// The recording that is replayed.
    pub(super) replay: Option<ReplaySource>,
}

/// Prepares an attempt. The order of the steps matters: each needs the results of those before it.
///
/// 1. Configuration errors of the case are reported, without its secrets.
/// 2. The variables of the case get their values.
/// 3. The recording of the conversation is read, which may replace much of the rest.
/// 4. Hooks run and print further variables.
/// 5. The scripted model and the MCP servers are started, since an agent that is a server needs their addresses.
/// 6. Tools over HTTP are opened, the recorder of the world is started, and then an agent that is a server; addresses
///    become variables.
/// 7. Inputs and checks are filled in with the variables; all secrets are known.
/// 8. The other tools are opened: a cassette is compared without secrets.
pub(crate) async fn prepare(attempt: &mut Attempt<'_>) -> Result<PreparedAttempt, SetupError> {
    let job = attempt.job;
    learn_written(job);
    refuse_invalid(job)?;
    attempt.variables.fill(job.case, || job.place(job.case.span))?;
    learn_variables(job, &attempt.variables);
    let mut tape = recording::open(job)?;
    hook::run_all(attempt, &mut tape).await?;
    let replayed = matches!(tape, NetworkTape::Replay(..));
    let seed = seed(attempt);
    let (observer, wire) = has_wire(job).then(unbounded_channel).unzip();
    // In a replay it is never called.
    let model = if replayed { None } else { mock_model::start(job, seed, observer.clone(), &attempt.lookup()).await? };
    attempt.variables.locate("MODEL", model.as_ref().map_or(&[][..], |model| &model.addresses));
    let mcp = if replayed { None } else { mcp_servers::start(job, faults(job, seed), observer.clone()).await? };
    match &mcp {
        Some(mcp) => attempt.variables.locate("MCP", &mcp.addresses),
        None => attempt.variables.locate("MCP", &mcp_servers::nowhere(&job.case.world.mcp)),
    }
    let played = PlayedWorld { model: model.as_ref(), mcp: mcp.as_ref() };
    let mut around = surroundings(attempt, replayed, faults(job, seed), observer.as_ref(), played).await?;
    let filled = fill_in(attempt)?;
    let (tools, cassette) = Tools::open(attempt, faults(job, seed)).await?;
    let watched = model.is_some() || mcp.is_some() || around.served.is_some() || around.world.is_some();
    around.environment.extend(model.iter().flat_map(|model| model.environment.iter().cloned()));
    around.environment.extend(mcp.iter().flat_map(|mcp| mcp.environment.iter().cloned()));
    if watched && around.world.is_none() {
        around.environment.extend(mock_model::no_proxy(job.run.options.environment));
    }
    let (line, recording) = line(job, tape);
    let (wire, replay) = (wire.filter(|_| watched), cassette.or(recording));
    Ok(PreparedAttempt { filled, tools, around, model, mcp, wire, line, replay })
}

/// Fails if the case itself is invalid.
pub(crate) fn refuse_invalid(job: &CaseJob<'_>) -> Result<(), SetupError> {
    let sources = job.run.sources;
    let mut wrong = job.case.broken.as_ref().map(|broken| findings::config(broken, sources)).unwrap_or_default();
    wrong.extend(findings::config(&job.ready.problems, sources));
    if wrong.is_empty() { Ok(()) } else { Err(wrong.into()) }
}

/// The seed for the random choices of an attempt.
fn seed(attempt: &Attempt<'_>) -> u64 {
    let job = attempt.job;
    let of_case = job.case.id.bytes().fold(job.run.options.settings.seed, |seed, byte| mix(seed ^ u64::from(byte)));
    mix(of_case ^ u64::from(attempt.number))
}

/// The faults to inject. In record mode there are none: the recording shows the tools as they are.
fn faults(job: &CaseJob<'_>, seed: u64) -> Faults {
    let planned = if job.run.options.mode == Mode::Record { [].into() } else { Arc::clone(&job.case.world.faults) };
    Faults::new(planned, seed)
}

/// Whether any component can observe the agent from outside.
fn has_wire(job: &CaseJob<'_>) -> bool {
    let world = &job.case.world;
    world.model.is_some()
        || !world.mcp.is_empty()
        || matches!(world.tools, ToolSource::Routes(_))
        || job.case.recorded_world().is_some()
}

/// Fills in the variables of the case. After this all secrets that the case defines are known.
fn fill_in(attempt: &Attempt<'_>) -> Result<FilledCase, SetupError> {
    let job = attempt.job;
    let filled = FilledCase::new(attempt)?;
    learn_variables(job, &attempt.variables);
    learn_filled(job, &filled);
    // Text that was not filled in may contain secrets that are not known.
    if attempt.variables.is_spent() {
        return Err(VariableScope::too_much(job.place(job.case.span)).into());
    }
    Ok(filled)
}

/// The connection to the agent, and the recording that replaces it.
fn line(job: &CaseJob<'_>, tape: NetworkTape) -> (AgentLine, Option<ReplaySource>) {
    match tape {
        NetworkTape::Live => (AgentLine::Live, None),
        NetworkTape::Record(recorder) => (AgentLine::Record(recorder), None),
        NetworkTape::Replay(recording, replay) => {
            (AgentLine::Replay(ExchangePlayer::new(recording, job.secrets.brought())), Some(replay))
        }
    }
}
