//! Runs the prepared suites on an async runtime.

use agentci::runner::Stop;
use agentci::verdict::{ExitStatus, NotLoaded};
use tokio::runtime::Runtime;

use super::session::RunSession;
use super::{CliContext, CliError, RunArguments, Suites, gates};

/// Creates the single-threaded async runtime.
pub(super) fn runtime() -> Result<Runtime, CliError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.map_err(|error| CliError::plain(format!("cannot start the async runtime: {error}")))
}

/// Runs the selected cases.
pub(super) fn execute(
    suites: &mut Suites,
    not_loaded: Vec<NotLoaded>,
    arguments: &RunArguments,
    context: &CliContext,
    runtime: &Runtime,
    stop: &Stop,
) -> ExitStatus {
    gates::complain(suites, context);
    let seed = arguments.selection.seed();
    let budget = arguments.recording.budget();
    let mut session = RunSession { arguments, context, suites, not_loaded, seed, budget, summaries: Vec::new() };
    let status = if arguments.want_answer_only() {
        runtime.block_on(session.answer(stop))
    } else {
        runtime.block_on(session.run(stop))
    };
    if arguments.json {
        session.print_summaries();
    }
    let wrong = suites.problems().has_errors();
    if wrong { status.max(ExitStatus::Failed) } else { status }
}
