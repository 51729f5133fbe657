//! Services that the cases of a suite share: the stub tool server, and agents that are servers.

mod agent;
mod agents;
mod deferred_end;
mod ready;
mod tools;

pub(crate) use agent::{PORT, ServerEnvironment};
pub(crate) use agents::{ReachedAgent, ServedAgents, has_own_agent, is_running, takes_turns};
pub(crate) use deferred_end::{DeferredEnd, DeferredEndSlot};
pub(crate) use ready::host_and_port;
pub(crate) use tools::{LateToolCalls, OpenTools, ToolServer, missed, routes, told};
