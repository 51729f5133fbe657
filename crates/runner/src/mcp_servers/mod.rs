//! The MCP servers that are played for an attempt: one each, at a free port of this machine, from before its agent is started until
//! after it has ended.
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

/// The MCP servers of an attempt; they end with this.
pub(crate) struct McpServers {
    /// Where they are, for texts of the suite: `orders.url` for `${MCP.orders.url}`.
    pub(crate) addresses: Vec<(String, String)>,
    /// What an agent finds in its environment.
    pub(crate) environment: Vec<(String, String)>,
    servers: Vec<RunningMcpServer>,
    shared: Arc<WatchedServers>,
    /// What holds the file for clients.
    _folder: TempDir,
}

/// One of them.
struct RunningMcpServer {
    mind: Arc<ServerState>,
    watch: Arc<ServerWatch>,
    server: McpServer,
}

impl McpServers {
    /// Their hosts and ports.
    pub(crate) fn hosts(&self) -> impl Iterator<Item = String> {
        self.servers.iter().map(|played| played.server.address().to_string())
    }

    /// What was asked for so far and is in no script and no recording.
    pub(crate) fn misses(&self, job: &CaseJob<'_>) -> Vec<Finding> {
        self.servers.iter().flat_map(|played| played.watch.misses(job)).collect()
    }

    /// What went wrong on purpose so far.
    pub(crate) fn faults(&self) -> Faults {
        lock(&self.shared.faults).clone()
    }
}
