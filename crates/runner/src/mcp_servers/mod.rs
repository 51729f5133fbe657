//! Plays the MCP servers of an attempt: each listens on a free local port from before its agent starts until after it
//! has ended.
//!
//! ```text
//! start: scripts and recordings ─▶ servers ─▶ environment, `${MCP.orders.url}`, a file for clients
//! while the agent runs: what a server sees ─▶ watch ─▶ events of the trace, misses
//! close: what came late ─▶ trace; misses ─▶ findings
//! ```

mod addresses;
mod close;
mod start;
mod watch;

use std::sync::Arc;

use agentci_mock_mcp::{McpServer, ServerState};
use agentci_stubs::Faults;
use agentci_verdict::Finding;
use agentci_wire::lock;
use tempfile::TempDir;

use crate::job::CaseJob;
use watch::{ServerWatch, WatchedServers};

pub(crate) use addresses::nowhere;
pub(crate) use start::start;

/// The MCP servers of an attempt; dropping this stops them.
pub(crate) struct McpServers {
    /// Their addresses, for variables in the suite: `orders.url` for `${MCP.orders.url}`.
    pub(crate) addresses: Vec<(String, String)>,
    /// The environment variables for the agent.
    pub(crate) environment: Vec<(String, String)>,
    servers: Vec<RunningMcpServer>,
    shared: Arc<WatchedServers>,
    /// The folder of the config file for clients.
    _folder: TempDir,
}

struct RunningMcpServer {
    state: Arc<ServerState>,
    watch: Arc<ServerWatch>,
    server: McpServer,
}

impl McpServers {
    /// Their hosts and ports.
    pub(crate) fn hosts(&self) -> impl Iterator<Item = String> {
        self.servers.iter().map(|played| played.server.address().to_string())
    }

    /// The requests so far that no script or recording answers.
    pub(crate) fn misses(&self, job: &CaseJob<'_>) -> Vec<Finding> {
        self.servers.iter().flat_map(|played| played.watch.misses(job)).collect()
    }

    /// The state of the injected faults.
    pub(crate) fn faults(&self) -> Faults {
        lock(&self.shared.faults).clone()
    }
}
