//! What the cases of a suite share while they run: the server that plays their tools, and agents that are servers.

mod agent;
mod agents;
mod ready;
mod tools;

pub(crate) use agent::PORT;
pub(crate) use agents::{Agents, Reached};
pub(crate) use tools::{OpenTools, ToolServer};

use crate::schedule::Run;

/// What the cases of a suite share while they run.
pub(crate) struct Services {
    pub(crate) tools: ToolServer,
    pub(crate) agents: Agents,
}

impl Services {
    /// Starts what is needed before the first case; an agent is started by the first case that asks it.
    pub(crate) async fn start(run: &Run<'_>) -> Self {
        Self { tools: ToolServer::start(run).await, agents: Agents::default() }
    }

    /// Ends everything, after the last case.
    pub(crate) async fn stop(self) {
        self.agents.stop().await;
    }
}
