//! Results that the agent sent its model for a tool of `routes` that nobody saw being called.

use std::collections::BTreeSet;

use agentci_plan::ToolSource;
use agentci_trace::{Trace, same_tool};

use crate::job::Job;

/// The tools that have a route and whose results came from elsewhere, each told once. An agent may keep answers for later, so this
/// is a warning; a check asks for the call with `seen: executed`.
pub(crate) fn told(job: &Job<'_>, trace: &Trace) -> Vec<String> {
    let ToolSource::Routes(routes) = &job.case.world.tools else { return Vec::new() };
    let calls = trace.calls();
    let unseen = calls.iter().filter(|call| call.was_requested() && !call.was_executed);
    let has_route = |name: &str| routes.tools.iter().any(|tool| same_tool(&tool.id.value, name));
    let names: BTreeSet<&str> = unseen.map(|call| call.call.name.as_str()).filter(|name| has_route(name)).collect();
    let warning = |name| {
        format!(
            "`{name}` has a route, and the agent sent its model a result without calling it there; \
             `tool_called: {{ name: {name}, seen: executed }}` asks for the call"
        )
    };
    names.into_iter().map(warning).collect()
}
