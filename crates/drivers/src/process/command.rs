//! Builds the command of a process agent.

use std::ffi::OsString;

use agentci_plan::{CommandPart, ProcessTarget, UnsetVariableError};
use agentci_process::{ProcessCommand, agent_program};

use crate::template_parts::filled;

/// The command, with variables filled in. The target's environment takes precedence over `given`, and `enforced` takes
/// precedence over both.
pub(super) fn command(
    target: &ProcessTarget,
    given: &[(String, String)],
    enforced: &[(String, String)],
    lookup: &dyn Fn(&str) -> Option<String>,
) -> Result<ProcessCommand, UnsetVariableError> {
    let mut parts = command_line(&target.command, lookup)?.into_iter();
    let mut environment = given.to_vec();
    environment.extend(filled(&target.environment, |value| value.fill(lookup))?);
    let program = agent_program(parts.next().unwrap_or_default(), &environment, enforced);
    environment.extend_from_slice(enforced);
    Ok(ProcessCommand { program, arguments: parts.collect(), folder: target.folder.clone(), environment })
}

/// The program and its arguments.
pub(crate) fn command_line(
    command: &[CommandPart],
    lookup: &dyn Fn(&str) -> Option<String>,
) -> Result<Vec<OsString>, UnsetVariableError> {
    let part = |part: &CommandPart| match &part.file {
        // Make it absolute, because the agent's working folder may differ from the current one.
        Some(file) => Ok(std::path::absolute(file).unwrap_or_else(|_| file.clone()).into_os_string()),
        None => part.text.fill(lookup).map(OsString::from),
    };
    command.iter().map(part).collect()
}
