//! `agentci guard`: stands beside a run and ends its agents should the run be killed. Started by the run itself.

use agentci::verdict::ExitStatus;
use agentci_process::guard;

/// What it is told.
#[derive(Debug, clap::Args)]
pub(crate) struct GuardArguments {
    /// Marker of the processes of the run
    mark: String,
}

/// Has this program started again as the guard when the first process is started.
pub(crate) fn post() {
    if let Ok(program) = std::env::current_exe() {
        guard::post(program, "guard");
    }
}

/// Is the guard.
pub(crate) fn stand(arguments: &GuardArguments) -> ExitStatus {
    guard::watch(std::io::stdin().lock(), &arguments.mark);
    ExitStatus::Success
}
