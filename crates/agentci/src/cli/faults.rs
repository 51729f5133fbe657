//! Checks faults for `agentci check`: faults of tools that no case can call, and of models that are not recorded.

use std::collections::{BTreeMap, BTreeSet};

use agentci::plan::{Fault, Mode, ToolSource, World};
use agentci::source::{Diagnostic, Diagnostics, Span};

use super::{Suites, meant_or};

/// Faults whose tool none of their cases can call. A case that can call any tool is not reported.
pub(crate) fn problems(suites: &Suites) -> Diagnostics {
    let mut problems = Diagnostics::default();
    for suite in suites.loaded().iter().map(|loaded| &loaded.suite) {
        // Whether a case can call the tool, and the tools that the cases with the fault can call.
        let mut seen: BTreeMap<Span, (&Fault, bool, BTreeSet<&str>)> = BTreeMap::new();
        let mut of_models: BTreeMap<Span, (&Fault, bool)> = BTreeMap::new();
        for case in &suite.cases {
            let known = callable(&case.world, suite.mode);
            for fault in case.world.faults.iter() {
                if fault.model {
                    let (_, met) = of_models.entry(fault.span).or_insert((fault, false));
                    *met |= case.recorded_world().is_some();
                }
                let Some(tool) = &fault.tool else { continue };
                let (_, met, names) = seen.entry(tool.span).or_insert_with(|| (fault, false, BTreeSet::new()));
                *met |= known.as_ref().is_none_or(|known| known.contains(&tool.value.as_str()));
                names.extend(known.iter().flatten());
            }
        }
        let unmet = seen.into_iter().filter(|(_, (_, met, _))| !met);
        unmet.for_each(|(span, (fault, _, names))| problems.push(unreachable(span, fault, &names)));
        let unmet = of_models.into_iter().filter(|(_, (_, met))| !met);
        unmet.for_each(|(span, (fault, _))| problems.push(no_recorded_model(span, fault)));
    }
    problems
}

fn no_recorded_model(span: Span, fault: &Fault) -> Diagnostic {
    let message = format!("the fault `{}` never happens: it needs a recorded model", fault.kind.name());
    let help = "record the model with `world: { recording: .. }`; a scripted model fails with `fail` in its script";
    Diagnostic::warning(span, message).label("this fault").help(help)
}

fn unreachable(span: Span, fault: &Fault, names: &BTreeSet<&str>) -> Diagnostic {
    let tool = fault.tool.as_ref().expect("it is the fault of a tool").value.as_str();
    let message = format!("the fault `{}` never happens: `{tool}` is not an available tool", fault.kind.name());
    let listed: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    let known = format!("available tools: {}", listed.join(", "));
    let help =
        meant_or(tool, names.iter().copied(), if listed.is_empty() { "no tools are available here" } else { &known });
    Diagnostic::warning(span, message).label("this tool").help(help)
}

/// The tools that can be called; `None` if that is unknown.
fn callable(world: &World, mode: Mode) -> Option<Vec<&str>> {
    let allowed = world.allowed.as_ref().map(|allowed| allowed.iter().map(|name| name.value.as_str()).collect());
    allowed.or_else(|| match &world.tools {
        ToolSource::Routes(routes) if mode == Mode::Replay => {
            let scripted = world.scripted.iter().map(|tool| tool.name.value.as_str());
            // The tools in a recording are known only when it is replayed.
            let servers: Option<Vec<_>> = world.mcp.iter().map(|server| server.script()).collect();
            let of_servers = servers?.into_iter().flat_map(|script| &script.tools).map(|tool| tool.name.value.as_str());
            Some(routes.tools.iter().map(|tool| tool.id.value.as_str()).chain(scripted).chain(of_servers).collect())
        }
        ToolSource::None | ToolSource::Cassette(_) | ToolSource::Routes(_) => None,
    })
}
