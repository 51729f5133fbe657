//! Opens the services that an attempt shares with others: tools over HTTP, and an agent that is a server.

use agentci_drivers::ToolBases;
use agentci_stubs::Faults;
use agentci_trace::EventKind;
use tokio::sync::mpsc::UnboundedSender;

use crate::mock_model::{self, AttemptModel};
use crate::recorded_world::{self, WorldSession};
use crate::services::{OpenTools, PORT, ReachedAgent, ServerEnvironment, has_own_agent};
use crate::{attempt::Attempt, job::CaseJob, mcp_servers::McpServers, setup_error::SetupError};

/// The shared services of an attempt.
#[derive(Default)]
pub(crate) struct Surroundings {
    /// The tools of the case over HTTP.
    pub(crate) served: Option<OpenTools>,
    /// Their base addresses.
    pub(crate) bases: ToolBases,
    /// Environment variables of an agent that is started for this attempt.
    pub(crate) environment: Vec<(String, String)>,
    /// Environment variables that its target cannot override.
    pub(crate) enforced: Vec<(String, String)>,
    /// The recorder between the agent and the world.
    pub(crate) world: Option<WorldSession>,
    /// A warning from opening the services.
    pub(crate) warning: Option<String>,
}

/// What is played for this attempt alone.
#[derive(Clone, Copy)]
pub(crate) struct PlayedWorld<'p> {
    pub(crate) model: Option<&'p AttemptModel>,
    pub(crate) mcp: Option<&'p McpServers>,
}

/// Opens the tools of the case, starts its agent, and sets the variables for their addresses. A replay needs neither.
pub(crate) async fn surroundings(
    attempt: &mut Attempt<'_>,
    replayed: bool,
    faults: Faults,
    observer: Option<&UnboundedSender<EventKind>>,
    played: PlayedWorld<'_>,
) -> Result<Surroundings, SetupError> {
    let (job, number) = (attempt.job, attempt.number);
    let shared = &job.run.shared;
    let served =
        if replayed { None } else { shared.tools.open(job, faults.clone(), observer.cloned(), &attempt.lookup())? };
    let bases = shared.tools.bases(job, served.as_ref());
    for (name, base) in &bases.bases {
        attempt.variables.set(name, base);
    }
    if replayed {
        // Nothing is called there, but the address must be valid.
        if attempt.variables.get(PORT).is_none() {
            attempt.variables.set(PORT, "0");
        }
        return Ok(Surroundings { bases, ..Surroundings::default() });
    }
    let hosts = played.mcp.into_iter().flat_map(McpServers::hosts).collect();
    let world = recorded_world::open(attempt, observer, &bases, hosts, faults).await?;
    let environment = || of_server(job, &bases, played, world.as_ref());
    let reached = shared.agents.reach(job, number, &attempt.lookup(), &environment).await;
    let ReachedAgent { port, warning, started } = reached?;
    if let (Some(world), Some(pid)) = (&world, started) {
        // The receiver ends with the session.
        let _ = world.started.send(pid);
    }
    if let Some(port) = port {
        attempt.variables.set(PORT, &port.to_string());
    }
    let mut environment = if served.is_some() { bases.bases.clone() } else { Vec::new() };
    environment.extend(world.iter().flat_map(|world| world.environment.iter().cloned()));
    let enforced = world.as_ref().map(|world| world.enforced.clone()).unwrap_or_default();
    Ok(Surroundings { served, bases, environment, enforced, world, warning })
}

/// The environment of an agent that is a server and is started now.
fn of_server(
    job: &CaseJob<'_>,
    bases: &ToolBases,
    PlayedWorld { model, mcp }: PlayedWorld<'_>,
    world: Option<&WorldSession>,
) -> ServerEnvironment {
    let mut told = if has_own_agent(job) {
        bases.bases.clone()
    } else {
        // It also serves later cases.
        job.run.shared.tools.shared_bases(&job.case.target, job.run.options.mode)
    };
    match model {
        Some(model) if has_own_agent(job) => told.extend(model.environment.iter().cloned()),
        // Each request tells it where the model of its case is.
        Some(model) => told.extend(model.environment_without_address()),
        None => {}
    }
    if let Some(mcp) = mcp.filter(|_| has_own_agent(job)) {
        told.extend(mcp.environment.iter().cloned());
    }
    if let Some(world) = world {
        told.extend(world.environment.iter().cloned());
        return ServerEnvironment { given: told, enforced: world.enforced.clone() };
    }
    if !told.is_empty() {
        told.extend(mock_model::no_proxy(job.run.options.environment));
    }
    ServerEnvironment { given: told, enforced: Vec::new() }
}
