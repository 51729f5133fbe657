//! Runs the agent of a fork.

use std::path::Path;

use agentci_recorder::{AnswerChange, ChangeError, SessionMode, change};

use super::super::arguments::ReplayArguments;
use super::super::command::{agent, command_of, rules};
use super::super::outcome::ReplayOutcome;
use super::destination::destination;
use super::models::Models;
use super::outcome::ForkOutcome;
use crate::cli::record::Claim;
use crate::cli::serve::model_script;
use crate::cli::{CliContext, CliError, CommandResult, command_line, in_ci, recorded, runtime};

/// The value of `--then` for the live world.
const LIVE: &str = "live";

/// Replays the first calls, and lets the agent continue.
pub(in super::super) fn fork(arguments: &ReplayArguments, until: u64, context: &CliContext) -> CommandResult {
    runtime()?.block_on(run(arguments, until, context))
}

async fn run(arguments: &ReplayArguments, until: u64, context: &CliContext) -> CommandResult {
    let flags = &arguments.fork;
    let changes = flags.set.iter().map(|text| AnswerChange::parse(text)).collect::<Result<Vec<_>, _>>();
    let unusable = |error: ChangeError| CliError::new(error.message, error.help).usage();
    let changes = changes.map_err(unusable)?;
    let path = flags.then.as_deref().filter(|then| *then != Path::new(LIVE));
    if path.is_none() && in_ci() {
        return Err(CliError::new(
            "`--then live` calls real models and tools, so it does not run while `CI` is set",
            "continue with a script: `--then SCRIPT.yaml`",
        ));
    }
    let script = path.map(|path| model_script(path, context)).transpose()?;
    let mut recording = recorded::read(&arguments.file)?;
    let command = command_of(arguments, &recording)?;
    let count = recording.exchanges.len() as u64;
    if until > count {
        let file = command_line(&[arguments.file.as_os_str()]);
        let message = format!("`--until {until}` is beyond the end of the recording: {file} has {count} calls");
        let help = format!("use a number from 0 to {count}; `agentci recording show {file}` lists the calls");
        return Err(CliError::new(message, help).usage());
    }
    let spoken = change(&mut recording, &changes, until).map_err(unusable)?;
    let out = destination(&arguments.file, flags.out.as_deref()).map_err(CliError::usage)?;
    // Reserves the file of the fork until it is written.
    let _claim = Claim::take(&out)?;
    let mut models = Models::start(script.map(Into::into), &spoken).await.map_err(CliError::plain)?;
    let expected = recording.exchanges.iter().filter(|exchange| !exchange.chatter && exchange.id <= until).count();
    let fork = models.fork(until);
    let mode = SessionMode::Fork { recording, rules: rules(arguments, &command), fork, pace: arguments.pace };
    let (mut finished, ended) = agent(arguments, &command).run(mode, |_, _| ()).await.map_err(CliError::plain)?;
    let help = "pass another command: `agentci replay FILE .. -- CMD`";
    let ended = ended.map_err(|error| CliError::new(error.to_string(), help).usage())?;
    ended.complete(&mut finished, &command);
    let troubles = models.troubles();
    let replay = ReplayOutcome { arguments, command: &command, expected, live: 0, finished: &finished, ended: &ended };
    ForkOutcome { replay, until, changes: &changes, script: path, troubles: &troubles, out: &out }.say(context)
}
