//! Starts the servers of an attempt.

use std::sync::{Arc, Mutex};

use agentci_mock_mcp::{McpServer, McpServerOptions, McpTape, ServerState, ServerWatcher};
use agentci_plan::{McpSource, McpWorld};
use agentci_recorder::load;
use agentci_stubs::Faults;
use agentci_trace::EventKind;
use agentci_verdict::{Cause, Finding};
use tokio::sync::mpsc::UnboundedSender;

use super::watch::{ServerWatch, WatchedServers, Watching};
use super::{McpServers, RunningMcpServer, addresses::tell};
use crate::{job::CaseJob, observation_line::ObservationLine, setup_error::SetupError};

/// Starts the servers, if the case has any; `observer` receives what they see.
pub(crate) async fn start(
    job: &CaseJob<'_>,
    faults: Faults,
    observer: Option<UnboundedSender<EventKind>>,
) -> Result<Option<McpServers>, SetupError> {
    let worlds = &job.case.world.mcp;
    let Some(first) = worlds.first() else { return Ok(None) };
    let line = Mutex::new(ObservationLine::new(observer));
    let shared = Arc::new(WatchedServers { faults: Mutex::new(faults), line });
    let mut servers = Vec::new();
    for world in worlds.iter() {
        servers.push(play(job, world, &shared).await?);
    }
    let (addresses, environment, folder) = tell(worlds, &servers).map_err(|error| {
        let message = format!("the MCP config file could not be written: {error}");
        wrong(job, first, message)
    })?;
    Ok(Some(McpServers { addresses, environment, servers, shared, _folder: folder }))
}

async fn play(
    job: &CaseJob<'_>,
    world: &McpWorld,
    shared: &Arc<WatchedServers>,
) -> Result<RunningMcpServer, SetupError> {
    let watch = Arc::new(ServerWatch::new(world, Arc::clone(shared)));
    let watcher: Box<dyn ServerWatcher> = Box::new(Watching(Arc::clone(&watch)));
    let state = match &world.source {
        McpSource::Script { script, .. } => ServerState::new(Arc::clone(script), Some(watcher))
            .map_err(|error| Finding::new(Cause::Config, error.to_string()).at(job.place(error.span), "this tool"))?,
        McpSource::Recording { path, server } => {
            let recording = load(path).map_err(|error| wrong(job, world, error.to_string()))?;
            let server = server.as_ref().map(|server| server.value.as_str());
            let tape = McpTape::of(&recording, server).map_err(|error| {
                let message = format!("`{}` cannot be played: {error}", path.display());
                wrong(job, world, message).help(error.help())
            })?;
            job.secrets.meet(|secrets| tape.said().for_each(|said| secrets.learn(said)));
            ServerState::recorded(tape, Some(watcher))
        }
    };
    let state = Arc::new(state);
    let server = McpServer::start(Arc::clone(&state), McpServerOptions::default()).await;
    let server = server.map_err(|error| wrong(job, world, format!("the MCP server could not be started: {error}")))?;
    Ok(RunningMcpServer { state, watch, server })
}

fn wrong(job: &CaseJob<'_>, world: &McpWorld, message: String) -> Finding {
    Finding::new(Cause::Config, message).at(job.place(world.span), "this server")
}
