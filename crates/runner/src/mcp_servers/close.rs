//! What the servers have to say when the agent is gone.

use agentci_wire::lock;

use super::McpServers;
use crate::{account::Account, attempt::Attempt, findings, recorded_world::take_late};

/// How many calls that nobody made are listed.
const LISTED: usize = 5;

impl McpServers {
    /// The conversation is over: what the agent still does is kept until it is gone.
    pub(crate) fn end_conversation(&self) {
        lock(&self.shared.line).end_conversation();
    }

    /// Tells what the agent did when the conversation was over, and what it did not do.
    pub(crate) fn conclude(&self, attempt: &Attempt<'_>, account: &mut Account) {
        take_late(attempt, lock(&self.shared.line).take_late(), account);
        findings::put_first(&mut account.findings, self.misses(attempt.job));
        if account.findings.is_empty() {
            account.warnings.extend(self.unused());
        }
        account.left.notes.extend(self.unreached(attempt));
    }

    /// The calls that recordings have and nobody made, in words.
    fn unused(&self) -> Vec<String> {
        let told = |played: &super::RunningMcpServer| {
            let mut unused = played.mind.unused();
            let count = unused.len();
            unused.truncate(LISTED);
            if count > LISTED {
                unused.push(format!("{} more", count - LISTED));
            }
            let (calls, were) = if count == 1 { ("call", "was") } else { ("calls", "were") };
            let name = &played.watch.name;
            (count > 0).then(|| {
                format!("{count} recorded {calls} of the MCP server `{name}` {were} never made: {}", unused.join(", "))
            })
        };
        self.servers.iter().filter_map(told).collect()
    }

    /// What to add to the failure of a case whose agent did not speak to a server.
    fn unreached(&self, attempt: &Attempt<'_>) -> Vec<String> {
        let worlds = attempt.job.case.world.mcp.iter().zip(&self.servers);
        let unreached = worlds.filter(|(_, played)| !played.watch.was_reached());
        let note = |(world, _): (&agentci_plan::McpWorld, _)| {
            let (name, variable) = (&world.name.value, world.variable());
            format!("the agent never spoke to the MCP server `{name}`, whose address is in `{variable}`")
        };
        unreached.map(note).collect()
    }
}
