//! `agentci guard`: stops the agents of a run that is killed. The run itself starts it.

use agentci::verdict::ExitStatus;
use agentci_process::guard;

/// Its arguments.
#[derive(Debug, clap::Args)]
pub(crate) struct GuardArguments {
    /// Marker of the processes of the run
    mark: String,
}

/// Registers this program as the guard, to be started together with the first process.
pub(crate) fn post() {
    if let Ok(program) = std::env::current_exe() {
        guard::post(program, "guard");
    }
}

/// Runs as the guard.
pub(crate) fn stand(arguments: &GuardArguments) -> ExitStatus {
    guard::watch(std::io::stdin().lock(), &arguments.mark);
    ExitStatus::Success
}
