//! Runs `agentci replay`.

use std::ffi::OsString;

use agentci_recorder::{FinishedSession, MatchRules, OnMiss, Recording, SeenHow, SessionEvent, SessionMode};

use super::arguments::{MissAction, ReplayArguments};
use super::fork::fork;
use super::outcome;
use crate::cli::recorded::{self, AgentCommand, AgentStreams, RecordedHosts};
use crate::cli::{CliContext, CliError, CommandResult, counted, in_ci, runtime};

pub(crate) fn replay(arguments: &ReplayArguments, context: &CliContext) -> CommandResult {
    if let Some(until) = arguments.fork.until {
        return fork(arguments, until, context);
    }
    let (recording, command) = prepare(arguments)?;
    runtime()?.block_on(run(arguments, recording, &command, context))
}

/// Prepares the recording and the command before anything runs.
fn prepare(arguments: &ReplayArguments) -> Result<(Recording, Vec<OsString>), CliError> {
    if arguments.on_miss != MissAction::Fail && in_ci() {
        return Err(CliError::new(
            "`--on-miss live` and `--on-miss record` call real models and tools, so they do not run while `CI` is set",
            "leave `--on-miss` out: a request that is not in the recording then fails the replay",
        ));
    }
    let recording = recorded::read(&arguments.file)?;
    let command = command_of(arguments, &recording)?;
    Ok((recording, command))
}

/// The given command, or else the recorded one.
pub(super) fn command_of(arguments: &ReplayArguments, recording: &Recording) -> Result<Vec<OsString>, CliError> {
    let command = if arguments.command.is_empty() {
        recording.header.command.iter().map(OsString::from).collect()
    } else {
        arguments.command.clone()
    };
    if command.is_empty() {
        let file = recorded::command_line(&[arguments.file.as_os_str()]);
        return Err(CliError::new(
            format!("{file} does not contain the recorded command"),
            format!("add it: `agentci replay {file} -- CMD`"),
        ));
    }
    Ok(command)
}

/// How requests are compared.
pub(super) fn rules(arguments: &ReplayArguments, command: &[OsString]) -> MatchRules {
    MatchRules {
        ignore: arguments.ignore.clone(),
        system: !arguments.no_system,
        headers: arguments.match_header.iter().map(|name| name.to_lowercase()).collect(),
        given: command.iter().map(|word| word.to_string_lossy().into_owned()).collect(),
    }
}

/// The command, and the hosts that it may reach.
pub(super) fn agent<'a>(arguments: &'a ReplayArguments, command: &'a [OsString]) -> AgentCommand<'a> {
    let hosts = RecordedHosts { allow: arguments.allow.clone(), ..RecordedHosts::default() };
    AgentCommand { command, limit: arguments.timeout, streams: AgentStreams::Ours, reach: &arguments.reach, hosts }
}

async fn run(
    arguments: &ReplayArguments,
    recording: Recording,
    command: &[OsString],
    context: &CliContext,
) -> CommandResult {
    let rules = rules(arguments, command);
    let on_miss = OnMiss::from(arguments.on_miss);
    let expected = recording.exchanges.iter().filter(|exchange| !exchange.chatter).count();
    let mode = SessionMode::Replay { recording, rules, on_miss, pace: arguments.pace };
    let mut live = 0;
    let ran = agent(arguments, command).run(mode, |event, _| live += usize::from(is_live(event))).await;
    let (finished, ended) = ran.map_err(CliError::plain)?;
    let help = "pass another command: `agentci replay FILE -- CMD`";
    let ended = ended.map_err(|error| CliError::new(error.to_string(), help).usage())?;
    let outcome = outcome::ReplayOutcome { arguments, command, expected, live, finished: &finished, ended: &ended };
    let status = outcome.say(context);
    Ok(match keep(arguments, &finished, live, context) {
        Ok(()) => status,
        Err(error) => status.max(error.tell(context)),
    })
}

/// Whether this is a call that the live world answered.
fn is_live(event: &SessionEvent) -> bool {
    matches!(event, SessionEvent::Exchange(exchange, SeenHow::Live) if !exchange.chatter)
}

/// Writes calls that were added to the recording, and reports how many the live world answered.
fn keep(
    arguments: &ReplayArguments,
    finished: &FinishedSession,
    live: usize,
    context: &CliContext,
) -> Result<(), CliError> {
    if live == 0 {
        return Ok(());
    }
    let calls = counted(live, "call", "calls");
    if arguments.on_miss == MissAction::Record {
        recorded::write(&arguments.file, &finished.recording, &finished.secrets)?;
        let file = recorded::command_line(&[arguments.file.as_os_str()]);
        context.say(&format!("{calls} answered by the live world, and added to {file}\n"));
    } else {
        context.say(&format!("{calls} answered by the live world, and not recorded\n"));
    }
    Ok(())
}
