//! The command of an agent that is a program.

use std::ffi::OsString;

use agentci_plan::{CommandPart, ProcessTarget, UnsetVariableError};
use agentci_process::{ProcessCommand, agent_program};

use crate::template_parts::filled;

/// The command, its variables filled in. `given` is what it finds in its environment unless the target says otherwise, and
/// `enforced` what it finds there in any case.
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
        // Made absolute, since the working folder of the agent may be another than ours.
        Some(file) => Ok(std::path::absolute(file).unwrap_or_else(|_| file.clone()).into_os_string()),
        None => part.text.fill(lookup).map(OsString::from),
    };
    command.iter().map(part).collect()
}
