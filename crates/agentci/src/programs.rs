//! The programs that a case starts.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use agentci_plan::{Case, CommandPart, LiveTool, McpTransport, Target, Text, World};
use agentci_source::Span;

/// A command that the run starts, and the folder it is started in.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StartedCommand<'c> {
    pub(crate) command: &'c [CommandPart],
    pub(crate) folder: Option<&'c Path>,
    pub(crate) span: Span,
}

impl<'c> StartedCommand<'c> {
    /// The files that it names, each as a part of its own: in the folder of the suite, or where it is started.
    pub(crate) fn named_files(self) -> impl Iterator<Item = Cow<'c, Path>> {
        let folder = self.folder.unwrap_or(Path::new(""));
        self.command.iter().enumerate().filter_map(move |(index, part)| match (&part.file, &part.text) {
            (Some(file), _) => Some(Cow::Borrowed(file.as_path())),
            // A program without a folder is searched in `PATH`.
            (None, Text::Literal(word)) if !word.starts_with('-') && (index > 0 || word.contains('/')) => {
                let path = folder.join(word);
                path.is_file().then_some(Cow::Owned(path))
            }
            (None, _) => None,
        })
    }
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
pub(crate) fn helper_commands(case: &Case) -> impl Iterator<Item = StartedCommand<'_>> {
    hook_commands(case).chain(tool_commands(&case.world))
}

/// The commands that run before a case.
pub(crate) fn hook_commands(case: &Case) -> impl Iterator<Item = StartedCommand<'_>> {
    let hooks = case.hooks.iter();
    hooks.map(|hook| StartedCommand { command: &hook.command, folder: hook.folder.as_deref(), span: hook.span })
}

/// The commands of live tools.
pub(crate) fn tool_commands(world: &World) -> impl Iterator<Item = StartedCommand<'_>> {
    world.live.tools.iter().filter_map(|(_, tool)| {
        let (command, span) = match tool {
            LiveTool::Command(tool) => (tool.command.as_slice(), tool.span),
            LiveTool::Mcp(tool) => (started(&tool.transport)?, tool.span),
            LiveTool::Http(_) => return None,
        };
        Some(StartedCommand { command, folder: None, span })
    })
}

/// The files of the suite in a command.
pub(crate) fn files(command: &[CommandPart]) -> impl Iterator<Item = &PathBuf> {
    command.iter().filter_map(|part| part.file.as_ref())
}
