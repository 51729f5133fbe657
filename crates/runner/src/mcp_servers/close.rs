//! Collects what the servers saw once the agent has ended.

use agentci_text::count_of;
use agentci_wire::lock;

use super::McpServers;
use crate::{account::Account, attempt::Attempt, findings, recorded_world::take_late};

/// The maximum number of unused recorded calls that are listed.
const LISTED: usize = 5;

impl McpServers {
    /// Ends the conversation: from now on events are collected until the agent has ended.
    pub(crate) fn end_conversation(&self) {
        lock(&self.shared.line).end_conversation();
    }

    /// Adds what the agent did after the conversation, and what it failed to do.
    pub(crate) fn conclude(&self, attempt: &Attempt<'_>, account: &mut Account) {
        take_late(attempt, lock(&self.shared.line).take_late(), account);
        findings::put_first(&mut account.findings, self.misses(attempt.job));
        if account.findings.is_empty() {
            account.warnings.extend(self.unused());
        }
        account.left.notes.extend(self.unreached(attempt));
    }

    /// One warning per server for recorded calls that were never made.
    fn unused(&self) -> Vec<String> {
        let told = |played: &super::RunningMcpServer| {
            let mut unused = played.state.unused();
            let count = unused.len();
            unused.truncate(LISTED);
            if count > LISTED {
                unused.push(format!("{} more", count - LISTED));
            }
            let (calls, were) = (count_of(count, "recorded call"), if count == 1 { "was" } else { "were" });
            let name = &played.watch.name;
            (count > 0).then(|| format!("{calls} to the MCP server `{name}` {were} never made: {}", unused.join(", ")))
        };
        self.servers.iter().filter_map(told).collect()
    }

    /// Notes for a failed case whose agent never connected to a server.
    fn unreached(&self, attempt: &Attempt<'_>) -> Vec<String> {
        let worlds = attempt.job.case.world.mcp.iter().zip(&self.servers);
        let unreached = worlds.filter(|(_, played)| !played.watch.was_reached());
        let note = |(world, _): (&agentci_plan::McpWorld, _)| {
            let (name, variable) = (&world.name.value, world.variable());
            format!("the agent never connected to the MCP server `{name}`; its address is in `{variable}`")
        };
        unreached.map(note).collect()
    }
}
