//! Runs the prepared suites on an async runtime.

use std::path::PathBuf;

use agentci::runner::Stop;
use agentci::verdict::ExitStatus;
use tokio::runtime::Runtime;

use super::prepare::Prepared;
use super::resume::{FoundRun, ResumedSuite};
use super::session::{self, SuiteSession};
use super::{CliContext, CliError, CommandResult, RunArguments, Suites, gates};

/// Creates the single-threaded async runtime.
pub(super) fn runtime() -> Result<Runtime, CliError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.map_err(|error| CliError::plain(format!("cannot start the async runtime: {error}")))
}

/// What is to be run.
#[derive(Debug)]
pub(super) struct Execution {
    pub(super) prepared: Prepared,
    /// The run whose failed cases are selected, if that is the newest one.
    pub(super) failed_from: Option<PathBuf>,
}

/// Runs the selected cases.
pub(super) fn execute(
    suites: &mut Suites,
    Execution { prepared, failed_from }: Execution,
    (arguments, context): (&RunArguments, &CliContext),
    runtime: &Runtime,
    stop: &Stop,
) -> CommandResult {
    let resumed = resumed(suites, &prepared.resumed, arguments, context)?;
    gates::complain(suites, context);
    let mut session = SuiteSession {
        arguments,
        context,
        suites,
        not_loaded: prepared.not_loaded,
        resumed,
        failed_from,
        seed: arguments.selection.seed(),
        budget: arguments.ceilings.budget(),
        summaries: Vec::new(),
        unfinished: Vec::new(),
    };
    let status = if arguments.want_answer_only() {
        runtime.block_on(session.answer(stop))
    } else {
        runtime.block_on(session.run(stop))
    };
    if arguments.json {
        session.print_summaries();
    }
    let wrong = suites.problems().has_errors();
    Ok(if wrong { status.max(ExitStatus::Failed) } else { status })
}

/// Compares the stored runs with the suites that continue them, by position.
pub(super) fn resumed(
    suites: &Suites,
    found: &[Option<FoundRun>],
    arguments: &RunArguments,
    context: &CliContext,
) -> Result<Vec<Option<ResumedSuite>>, CliError> {
    let mut resumed = Vec::new();
    for (position, found) in found.iter().enumerate() {
        let settings = session::settings(arguments, &suites.loaded()[position].suite);
        let compare = |found| {
            ResumedSuite::new((suites, position), found, (&settings, arguments.selection.given_seed()), context)
        };
        resumed.push(found.as_ref().map(compare).transpose()?);
    }
    Ok(resumed)
}
