//! Runs the agent of a fork.

use agentci_recorder::SessionMode;

use super::super::arguments::ReplayArguments;
use super::super::command::{agent, rules};
use super::super::outcome::ReplayOutcome;
use super::models::Models;
use super::outcome::ForkOutcome;
use super::prepare::PreparedFork;
use crate::cli::{CliContext, CliError, CommandResult, runtime};

/// Replays the first calls, and lets the agent go on.
pub(in super::super) fn fork(arguments: &ReplayArguments, until: u64, context: &CliContext) -> CommandResult {
    let prepared = PreparedFork::new(arguments, until, context)?;
    runtime()?.block_on(run(arguments, prepared, until, context))
}

async fn run(arguments: &ReplayArguments, prepared: PreparedFork, until: u64, context: &CliContext) -> CommandResult {
    let PreparedFork { recording, command, changes, spoken, script, out, _claim } = prepared;
    let (path, script) = script.unzip();
    let mut models = Models::start(script, &spoken).await.map_err(CliError::plain)?;
    let expected = recording.exchanges.iter().filter(|exchange| !exchange.chatter && exchange.id <= until).count();
    let fork = models.fork(until);
    let mode = SessionMode::Fork { recording, rules: rules(arguments, &command), fork, pace: arguments.pace };
    let (mut finished, ended) = agent(arguments, &command).run(mode, |_, _| ()).await.map_err(CliError::plain)?;
    let help = "give another command: `agentci replay FILE .. -- CMD`";
    let ended = ended.map_err(|error| CliError::new(error.to_string(), help).usage())?;
    ended.complete(&mut finished, &command);
    let troubles = models.troubles();
    let replay = ReplayOutcome { arguments, command: &command, expected, live: 0, finished: &finished, ended: &ended };
    ForkOutcome { replay, until, changes: &changes, script: path.as_deref(), troubles: &troubles, out: &out }
        .say(context)
}
