//! The command itself.

use std::ffi::OsString;

use agentci::verdict::ExitStatus;
use agentci_recorder::{Finished, MatchRules, Mode, OnMiss, Recording, Seen, SeenHow};
use tokio::sync::mpsc::unbounded_channel;

use super::arguments::{Missed, ReplayArguments};
use super::fork::fork;
use super::outcome;
use crate::cli::context::Context;
use crate::cli::execute::runtime;
use crate::cli::record::counted;
use crate::cli::recorded::{self, Agent, Given, Hosts, Signals, in_ci};
use crate::cli::usage_error::UsageError;

pub(crate) fn replay(arguments: &ReplayArguments, context: &Context) -> ExitStatus {
    if let Some(until) = arguments.fork.until {
        return fork(arguments, until, context);
    }
    let (recording, command) = match prepare(arguments) {
        Ok(prepared) => prepared,
        Err(error) => return error.tell(context),
    };
    let Some(runtime) = runtime(context) else { return ExitStatus::Failed };
    runtime.block_on(run(arguments, recording, &command, context))
}

/// What must be so before anything is run.
fn prepare(arguments: &ReplayArguments) -> Result<(Recording, Vec<OsString>), UsageError> {
    if arguments.on_miss != Missed::Fail && in_ci() {
        return Err(UsageError::new(
            "`--on-miss live` and `--on-miss record` call real models and tools, so they do not run while `CI` is set",
            "leave `--on-miss` out: a request that is not in the recording then fails the replay",
        ));
    }
    let recording = recorded::read(&arguments.file)?;
    let command = command_of(arguments, &recording)?;
    Ok((recording, command))
}

/// The command that is given, or else the recorded one.
pub(super) fn command_of(arguments: &ReplayArguments, recording: &Recording) -> Result<Vec<OsString>, UsageError> {
    let command = if arguments.command.is_empty() {
        recorded::words(&recording.header.command)
    } else {
        arguments.command.clone()
    };
    if command.is_empty() {
        let file = recorded::command_line(&[arguments.file.as_os_str()]);
        return Err(UsageError::new(
            format!("{file} does not name the command that was recorded"),
            format!("add it: `agentci replay {file} -- CMD`"),
        ));
    }
    Ok(command)
}

/// What is compared.
pub(super) fn rules(arguments: &ReplayArguments, command: &[OsString]) -> MatchRules {
    MatchRules {
        ignore: arguments.ignore.clone(),
        system: !arguments.no_system,
        headers: arguments.match_header.iter().map(|name| name.to_lowercase()).collect(),
        given: command.iter().map(|word| word.to_string_lossy().into_owned()).collect(),
    }
}

async fn run(arguments: &ReplayArguments, recording: Recording, command: &[OsString], context: &Context) -> ExitStatus {
    let signals = Signals::listen();
    let rules = rules(arguments, command);
    let on_miss = OnMiss::from(arguments.on_miss);
    let expected = recording.exchanges.iter().filter(|exchange| !exchange.chatter).count();
    let mode = Mode::Replay { recording, rules, on_miss, pace: arguments.pace };
    let hosts = Hosts { allow: arguments.allow.clone(), ..Hosts::default() };
    let (observer, mut seen) = unbounded_channel();
    let session = match arguments.reach.start(mode, hosts, Some(observer)).await {
        Ok(session) => session,
        Err(error) => {
            context.complain(&error.to_string(), None);
            return ExitStatus::Failed;
        }
    };
    let agent = Agent { command, limit: arguments.timeout, streams: Given::Ours, signals };
    let mut live = 0;
    let ended = agent.run(&session, &mut seen, |event| live += usize::from(is_live(&event))).await;
    let finished = session.finish().await;
    while let Ok(event) = seen.try_recv() {
        live += usize::from(is_live(&event));
    }
    match ended {
        Err(error) => {
            context.complain(&error.to_string(), Some("give another command: `agentci replay FILE -- CMD`"));
            ExitStatus::Usage
        }
        Ok(ended) => {
            let outcome = outcome::Outcome { arguments, command, expected, live, finished: &finished, ended: &ended };
            let status = outcome.say(context);
            keep(arguments, &finished, live, context).map_or(status, |failed| status.max(failed))
        }
    }
}

/// Whether this is a call that the live world answered.
fn is_live(event: &Seen) -> bool {
    matches!(event, Seen::Exchange(exchange, SeenHow::Live) if !exchange.chatter)
}

/// Writes what was added to the recording, and says what the live world answered.
fn keep(arguments: &ReplayArguments, finished: &Finished, live: usize, context: &Context) -> Option<ExitStatus> {
    if live == 0 {
        return None;
    }
    let calls = counted(live, "call", "calls");
    if arguments.on_miss != Missed::Record {
        context.say(&format!("{calls} answered by the live world, and not recorded\n"));
        return None;
    }
    if let Err(error) = recorded::write(&arguments.file, &finished.recording, &finished.secrets) {
        return Some(error.tell(context));
    }
    let file = recorded::command_line(&[arguments.file.as_os_str()]);
    context.say(&format!("{calls} answered by the live world, and added to {file}\n"));
    None
}
