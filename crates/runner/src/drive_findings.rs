//! Converts errors of drivers to findings.

use agentci_drivers::DriveError;
use agentci_plan::Target;
use agentci_process::{Exit, SpawnError};
use agentci_source::{Place, Sources};
use agentci_verdict::{Cause, Finding};

const RUN_BY_HAND: &str = "check that it can be run from this folder";

/// Why the agent could not continue; `None` if the component that stopped it already reported why.
pub(crate) fn drive(error: &DriveError, target: Place) -> Option<Finding> {
    let (cause, label, help) = described(error)?;
    let mut finding = Finding::new(cause, error.to_string());
    if let Some(label) = label {
        finding = finding.at(target, label);
    }
    finding.help = help.map(str::to_owned);
    if let DriveError::Exited { while_answered: true, .. } = error {
        finding.notes.push("it exited with an answer unread".into());
    }
    Some(finding)
}

/// The cause, the label at the target if the error is about the target, and the help.
fn described(error: &DriveError) -> Option<(Cause, Option<&'static str>, Option<&str>)> {
    let (command, server) = (Some("this command"), Some("this server"));
    Some(match error {
        DriveError::Stopped => return None,
        DriveError::Unreachable(error) => (Cause::Unreachable, command, Some(spawn_help(error))),
        DriveError::NotStarted(_) => (Cause::Unreachable, command, Some(RUN_BY_HAND)),
        DriveError::NoServer(_) => {
            (Cause::Unreachable, server, Some("check the address, and start the server before the run or in a hook"))
        }
        DriveError::Refused { help, .. } | DriveError::Busy { help, .. } => (Cause::AgentError, server, Some(help)),
        DriveError::AgentError(_) => (Cause::AgentError, None, None),
        DriveError::Silent => {
            let help = "print the answer to standard output, or set `output: none` in the target if there is none";
            (Cause::AgentError, command, Some(help))
        }
        DriveError::Timeout { .. } => {
            (Cause::Timeout, Some(""), Some("raise the target's timeout, or `--timeout`, if it needs longer"))
        }
        DriveError::NotRecorded(_) => {
            (Cause::ReplayMiss, None, Some("if the change is intended, record the case again: `agentci record`"))
        }
        DriveError::Protocol { help, .. } => (Cause::Protocol, None, Some(help)),
        // An agent that failed says why; one that exits successfully does not know the protocol.
        DriveError::Exited { exit, .. } if exit.is_none_or(|exit| exit == Exit::Code(0)) => {
            (Cause::AgentExited, None, Some("it must end with a line `{\"type\":\"final_output\",\"output\":{..}}`"))
        }
        DriveError::Exited { .. } | DriveError::Failed { .. } | DriveError::Transport(_) => {
            (Cause::AgentExited, None, None)
        }
        DriveError::Function { .. } => (Cause::Hook, None, None),
        DriveError::Unsupported(_) => (Cause::Config, None, None),
    })
}

/// The finding for the agent of a case.
pub(crate) fn drive_target(error: &DriveError, target: &Target, sources: &Sources) -> Option<Finding> {
    let mut finding = drive(error, sources.place(target.span()))?;
    if let (DriveError::NoServer(_), Target::Http(http)) = (error, target) {
        finding.help = Some(if http.server.is_none() {
            "let agentci start it with `command` in its target (`agent_command` in scenarios), or start it before the \
             run"
            .into()
        } else {
            "its program is running, but nothing answers there: check the port it listens on, and its `ready` address"
                .into()
        });
    }
    Some(finding)
}

/// The help for a program that could not be started.
pub(crate) fn spawn_help(error: &SpawnError) -> &'static str {
    match error {
        SpawnError::NotExecutable(_) => {
            "make it executable with `chmod +x`, or name its interpreter: `[python3, agent.py]`"
        }
        SpawnError::NotFound(_) | SpawnError::NoFolder(_) | SpawnError::Other { .. } => RUN_BY_HAND,
    }
}
