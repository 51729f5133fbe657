//! Runs the agent of a fork.

use agentci::verdict::ExitStatus;
use agentci_recorder::{Finished, Mode};
use tokio::sync::mpsc::unbounded_channel;

use super::super::arguments::ReplayArguments;
use super::super::command::rules;
use super::super::outcome::Outcome;
use super::models::Models;
use super::outcome::ForkOutcome;
use super::prepare::Prepared;
use crate::cli::context::Context;
use crate::cli::execute::runtime;
use crate::cli::recorded::{Agent, Ended, Given, Hosts, Signals};

/// Replays the first calls, and lets the agent go on.
pub(in super::super) fn fork(arguments: &ReplayArguments, until: u64, context: &Context) -> ExitStatus {
    let prepared = match Prepared::new(arguments, until, context) {
        Ok(prepared) => prepared,
        Err(status) => return status,
    };
    let Some(runtime) = runtime(context) else { return ExitStatus::Failed };
    runtime.block_on(run(arguments, prepared, until, context))
}

async fn run(arguments: &ReplayArguments, prepared: Prepared, until: u64, context: &Context) -> ExitStatus {
    let signals = Signals::listen();
    let Prepared { recording, command, changes, spoken, script, out, _claim } = prepared;
    let script_name = script.as_ref().map(|(path, _)| path.clone());
    let mut models = match Models::start(script.map(|(_, script)| script), &spoken).await {
        Ok(models) => models,
        Err(error) => {
            context.complain(&error.to_string(), None);
            return ExitStatus::Failed;
        }
    };
    let expected = recording.exchanges.iter().filter(|exchange| !exchange.chatter && exchange.id <= until).count();
    let fork = models.fork(until);
    let mode = Mode::Fork { recording, rules: rules(arguments, &command), fork, pace: arguments.pace };
    let hosts = Hosts { allow: arguments.allow.clone(), ..Hosts::default() };
    let (observer, mut seen) = unbounded_channel();
    let session = match arguments.reach.start(mode, hosts, Some(observer)).await {
        Ok(session) => session,
        Err(error) => {
            context.complain(&error.to_string(), None);
            return ExitStatus::Failed;
        }
    };
    let agent = Agent { command: &command, limit: arguments.timeout, streams: Given::Ours, signals };
    let ended = agent.run(&session, &mut seen, drop).await;
    let mut finished = session.finish().await;
    let ended = match ended {
        Ok(ended) => ended,
        Err(error) => {
            context.complain(&error.to_string(), Some("give another command: `agentci replay FILE .. -- CMD`"));
            return ExitStatus::Usage;
        }
    };
    complete(&mut finished, &command, &ended);
    let troubles = models.troubles();
    let replay = Outcome { arguments, command: &command, expected, live: 0, finished: &finished, ended: &ended };
    let script = script_name.as_deref();
    ForkOutcome { replay, until, changes: &changes, script, troubles: &troubles, out: &out }.say(context)
}

/// Adds what only the command line knows.
fn complete(finished: &mut Finished, command: &[std::ffi::OsString], ended: &Ended) {
    let mut command: Vec<String> = command.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    finished.secrets.arguments(&mut command);
    finished.recording.header.command = command;
    finished.recording.exit = Some(ended.recorded());
}
