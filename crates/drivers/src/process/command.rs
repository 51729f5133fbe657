//! The command of an agent that is a program.

use std::ffi::OsString;

use agentci_plan::{ProcessTarget, UnsetVariable};
use agentci_process::{Command, agent_program};

/// The command, its variables filled in. `given` is what it finds in its environment unless the target says otherwise, and
/// `enforced` what it finds there in any case.
pub(super) fn command(
    target: &ProcessTarget,
    given: &[(String, String)],
    enforced: &[(String, String)],
    lookup: &dyn Fn(&str) -> Option<String>,
) -> Result<Command, UnsetVariable> {
    let mut parts = Vec::with_capacity(target.command.len());
    for part in &target.command {
        parts.push(match &part.file {
            // Made absolute, since the working folder of the agent may be another than ours.
            Some(file) => std::path::absolute(file).unwrap_or_else(|_| file.clone()).into_os_string(),
            None => OsString::from(part.text.fill(lookup)?),
        });
    }
    let mut environment = given.to_vec();
    for (name, value) in &target.environment {
        environment.push((name.clone(), value.fill(lookup)?));
    }
    let mut parts = parts.into_iter();
    let program = agent_program(parts.next().unwrap_or_default(), &environment, enforced);
    environment.extend_from_slice(enforced);
    Ok(Command { program, arguments: parts.collect(), folder: target.folder.clone(), environment })
}
