//! The programs that a case starts.

use std::path::{Path, PathBuf};

use agentci_plan::{Case, CommandPart, LiveTool, McpTransport, Target};
use agentci_source::Span;

/// A command that the run starts, and the folder it is started in.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StartedCommand<'c> {
    pub(crate) command: &'c [CommandPart],
    pub(crate) folder: Option<&'c Path>,
    pub(crate) span: Span,
}

/// The command of an agent, if the run starts it.
pub(crate) fn agent_command(target: &Target) -> Option<StartedCommand<'_>> {
    let of = |command, folder, span| StartedCommand { command, folder, span };
    match target {
        Target::Process(agent) => Some(of(&agent.command, agent.folder.as_deref(), agent.span)),
        Target::Http(target) => {
            target.server.as_ref().map(|server| of(&server.command, server.folder.as_deref(), server.span))
        }
        Target::Mcp(target) => Some(of(started(&target.transport)?, None, target.span)),
        Target::Mock(_) | Target::Agui(_) | Target::A2a(_) | Target::Chat(_) => None,
    }
}

/// The command of an MCP server, if the run starts it.
pub(crate) fn started(transport: &McpTransport) -> Option<&[CommandPart]> {
    match transport {
        McpTransport::Stdio { command, .. } => Some(command),
        McpTransport::Http(_) => None,
    }
}

/// The commands that run besides the agent of a case: hooks and live tools.
pub(crate) fn helper_commands(case: &Case) -> impl Iterator<Item = &[CommandPart]> {
    let hooks = case.hooks.iter().map(|hook| hook.command.as_slice());
    let tools = case.world.live.tools.iter().map(|(_, tool)| match tool {
        LiveTool::Command(tool) => tool.command.as_slice(),
        LiveTool::Mcp(tool) => started(&tool.transport).unwrap_or_default(),
        LiveTool::Http(_) => &[],
    });
    hooks.chain(tools)
}

/// The files in a command.
pub(crate) fn files(command: &[CommandPart]) -> impl Iterator<Item = &PathBuf> {
    command.iter().filter_map(|part| part.file.as_ref())
}
