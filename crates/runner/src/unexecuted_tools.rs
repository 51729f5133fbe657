//! Finds results that the agent sent its model for a tool of `routes` or of an MCP server that was never called.

use std::collections::BTreeMap;

use agentci_plan::{ToolSource, World};
use agentci_trace::{Trace, same_tool};

use crate::job::CaseJob;

/// Warnings for played tools whose results came from elsewhere, without duplicates. An agent may cache answers, so this
/// is only a warning; a check requires the call with `seen: executed`.
pub(crate) fn told(job: &CaseJob<'_>, trace: &Trace) -> Vec<String> {
    let world = &job.case.world;
    if world.mcp.is_empty() && !matches!(world.tools, ToolSource::Routes(_)) {
        return Vec::new();
    }
    let calls = trace.calls();
    let unseen = calls.iter().filter(|call| call.was_requested() && !call.was_executed);
    let named = unseen.map(|call| call.call.name.as_str());
    let played: BTreeMap<&str, String> = named.filter_map(|name| Some((name, player(world, name)?))).collect();
    let warning = |(name, player)| {
        format!(
            "`{name}` {player}, but the agent sent its model a result without calling it there; \
             `tool_called: {{ name: {name}, seen: executed }}` requires the call"
        )
    };
    played.into_iter().map(warning).collect()
}

/// Describes what plays a tool.
fn player(world: &World, name: &str) -> Option<String> {
    if let ToolSource::Routes(routes) = &world.tools
        && routes.tools.iter().any(|tool| same_tool(&tool.id.value, name))
    {
        return Some("has a route".to_owned());
    }
    let offers = |tools: &[agentci_plan::mcp_script::ScriptedMcpTool]| {
        tools.iter().any(|tool| same_tool(&tool.name.value, name))
    };
    let server = world.mcp.iter().find(|server| server.script().is_some_and(|script| offers(&script.tools)))?;
    Some(format!("is a tool of the MCP server `{}`", server.name.value))
}
