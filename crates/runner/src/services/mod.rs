//! What the cases of a suite share while they run: the server that plays their tools, and agents that are servers.

mod agent;
mod agents;
mod held;
mod ready;
mod tools;

pub(crate) use agent::{PORT, ServerEnvironment};
pub(crate) use agents::{Reached, ServedAgents, has_own_agent, is_running, takes_turns};
pub(crate) use held::{HeldEnd, UntoldEnd};
pub(crate) use ready::host_and_port;
pub(crate) use tools::{Late, OpenTools, ToolServer, missed, told};

use agentci_verdict::CaseStatus;

use crate::event_sink::EventSink;

/// What the cases of a suite share while they run.
pub(crate) struct Services {
    pub(crate) tools: ToolServer,
    pub(crate) agents: ServedAgents,
    /// The end of the case before, where its agent goes on.
    pub(crate) held: HeldEnd,
}

impl Services {
    /// What there is before the first case; an agent is started by the first case that asks it.
    pub(crate) fn new(tools: ToolServer) -> Self {
        Self { tools, agents: ServedAgents::default(), held: HeldEnd::default() }
    }

    /// Ends every agent, after the last case, and tells the end that was held; what that case came to.
    pub(crate) async fn stop(&self, events: &EventSink<'_>) -> Option<CaseStatus> {
        self.agents.stop().await;
        self.held.tell(events)
    }
}
