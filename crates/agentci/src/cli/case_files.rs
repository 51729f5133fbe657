//! The files that a case refers to, and the absolute form in which paths are compared.

use std::path::{Path, PathBuf};

use agentci::DiskFiles;
use agentci::plan::{Case, CommandPart, McpTransport, Target};
use agentci::source::{Files as _, Span};

/// The files that a case is recorded to.
pub(super) fn recorded(case: &Case) -> Vec<PathBuf> {
    crate::recording::written(case).map(|(_, path, _)| absolute(path)).collect()
}

/// The absolute form of a path, used in all comparisons.
pub(super) fn absolute(path: &Path) -> PathBuf {
    DiskFiles.absolute(path)
}

/// A command that the run starts, and the folder it is started in.
#[derive(Debug, Clone, Copy)]
pub(super) struct StartedCommand<'c> {
    pub(super) command: &'c [CommandPart],
    pub(super) folder: Option<&'c Path>,
    pub(super) span: Span,
}

/// The command of an agent, if the run starts it.
pub(super) fn agent_command(target: &Target) -> Option<StartedCommand<'_>> {
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
pub(super) fn started(transport: &McpTransport) -> Option<&[CommandPart]> {
    match transport {
        McpTransport::Stdio { command, .. } => Some(command),
        McpTransport::Http(_) => None,
    }
}
