//! From the trouble of a driver to a finding a person can use.

use agentci_drivers::DriveError;
use agentci_plan::Target;
use agentci_process::{Exit, SpawnError};
use agentci_source::{Place, Sources};
use agentci_verdict::{Cause, Finding};

const RUN_BY_HAND: &str = "check that it can be run from this folder";

/// Why the agent could not go on; nothing when whoever stopped it said so already.
pub(crate) fn drive(error: &DriveError, target: Place) -> Option<Finding> {
    let (cause, label, help) = described(error)?;
    let mut finding = Finding::new(cause, error.to_string());
    if let Some(label) = label {
        finding = finding.at(target, label);
    }
    finding.help = help.map(str::to_owned);
    if let DriveError::Exited { while_answered: true, .. } = error {
        finding.notes.push("it left with an answer unread".into());
    }
    Some(finding)
}

/// The cause; what stands at the place of the target, where that is what the trouble is about; and what to do about it.
fn described(error: &DriveError) -> Option<(Cause, Option<&'static str>, Option<&str>)> {
    let (command, server) = (Some("this command"), Some("this server"));
    Some(match error {
        DriveError::Stopped => return None,
        DriveError::Unreachable(error) => (Cause::Unreachable, command, Some(spawn_help(error))),
        DriveError::NotStarted(_) => (Cause::Unreachable, command, Some(RUN_BY_HAND)),
        DriveError::NoServer(_) => {
            (Cause::Unreachable, server, Some("check the address, and start it before the run or in a hook"))
        }
        DriveError::Refused { help, .. } | DriveError::Busy { help, .. } => (Cause::AgentError, server, Some(help)),
        DriveError::AgentError(_) => (Cause::AgentError, None, None),
        DriveError::Silent => {
            let help = "print the answer to standard output, or say `output: none` in the target if it has none";
            (Cause::AgentError, command, Some(help))
        }
        DriveError::Timeout { .. } => {
            (Cause::Timeout, Some(""), Some("raise the target's time limit, or `--timeout`, if it needs longer"))
        }
        DriveError::NotRecorded(_) => {
            (Cause::ReplayMiss, None, Some("if the change is meant, record the case again: `agentci record`"))
        }
        DriveError::Protocol { help, .. } => (Cause::Protocol, None, Some(help)),
        // One that failed says why; one that thinks it is done does not know the protocol.
        DriveError::Exited { exit, .. } if exit.is_none_or(|exit| exit == Exit::Code(0)) => {
            (Cause::AgentExited, None, Some("it has to end with a line `{\"type\":\"final_output\",\"output\":{..}}`"))
        }
        DriveError::Exited { .. } | DriveError::Failed { .. } | DriveError::Transport(_) => {
            (Cause::AgentExited, None, None)
        }
        DriveError::Function { .. } => (Cause::Hook, None, None),
        DriveError::Unsupported(_) => (Cause::Config, None, None),
    })
}

/// The same of the agent of a case.
pub(crate) fn drive_target(error: &DriveError, target: &Target, sources: &Sources) -> Option<Finding> {
    let mut finding = drive(error, sources.place(target.span()))?;
    if let (DriveError::NoServer(_), Target::Http(http)) = (error, target) {
        finding.help = Some(if http.server.is_none() {
            "let agentci start it, by `command` in its target (`agent_command` in scenarios), or start it before the run".into()
        } else {
            "its program runs, and nothing answers there: check the port that it listens at, and its `ready` address"
                .into()
        });
    }
    Some(finding)
}

/// What to do about a program that did not start.
pub(crate) fn spawn_help(error: &SpawnError) -> &'static str {
    match error {
        SpawnError::NotExecutable(_) => {
            "make it executable with `chmod +x`, or name what runs it: `[python3, agent.py]`"
        }
        SpawnError::NotFound(_) | SpawnError::NoFolder(_) | SpawnError::Other { .. } => RUN_BY_HAND,
    }
}
