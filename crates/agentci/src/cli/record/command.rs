//! Runs `agentci record -- CMD`.

use std::path::Path;

use agentci_process::SpawnError;
use agentci_recorder::{
    EndKind, FinishedSession, LearnedHole, MatchRules, OnMiss, Recording, Remove, ReplayPace, SessionMode,
};

use super::destination::{Claim, destination};
use super::outcome::report;
use super::{RecordArguments, RecordBudget, rehearsal, suite};
use crate::cli::recorded::{self, AgentCommand, AgentEnd, AgentStreams, RecordedHosts, record_again};
use crate::cli::{CliContext, CliError, CommandResult, ExitStatus, command_line, counted, in_ci, runtime};

pub(crate) fn record(arguments: &RecordArguments, context: &CliContext) -> CommandResult {
    let path = destination(arguments);
    let (_claim, earlier, budget) = prepare(arguments, &path)?;
    let runtime = runtime()?;
    let status = runtime.block_on(run(arguments, &path, earlier, budget, context));
    // A thread may still be reading from a standard input that never ends.
    runtime.shutdown_background();
    status
}

/// Prepares everything before the command runs: claims the file, reads an existing recording, and sets up the budget.
fn prepare(arguments: &RecordArguments, path: &Path) -> Result<(Claim, Option<Recording>, RecordBudget), CliError> {
    let line = command_line(&arguments.command);
    if let Some(suite) = arguments.paths.first() {
        let suite = suite.display();
        let message = format!("`agentci record` records a command or suites, not both: `{suite}` is before `--`");
        let help = format!("write `agentci record -- {line}` or `agentci record {suite}`");
        return Err(CliError::new(message, help).usage());
    }
    if in_ci() && !arguments.yes {
        let message = "`agentci record` calls real models and tools, so it does not run while `CI` is set";
        let again = again(arguments, path, &["--yes"]);
        let help = format!("commit the recording and use `agentci replay` here, or run `{again}`");
        return Err(CliError::new(message, help));
    }
    let claim = Claim::take(path)?;
    // A dangling symbolic link counts as existing.
    let earlier = match (fs_err::symlink_metadata(path).is_ok(), arguments.update) {
        (false, _) => None,
        (true, true) => {
            let mut recording = recorded::read(path)?;
            drop_unreachable(&mut recording);
            Some(recording)
        }
        (true, false) => {
            let shown = path.display();
            let help = format!(
                "`{}` keeps it and records only missing calls; to start over, delete it or write elsewhere with \
                 `--out`",
                again(arguments, path, &["--update"])
            );
            return Err(CliError::new(format!("the recording `{shown}` already exists"), help));
        }
    };
    if let Some(folder) = &arguments.suite {
        suite::may_write(folder, arguments.force)?;
    }
    let budget = RecordBudget::new(arguments.limits.max_cost, arguments.limits.prices.as_deref())?;
    Ok((claim, earlier, budget))
}

/// The current command line with further flags. Flags that only limit one recording are left out.
fn again(arguments: &RecordArguments, path: &Path, further: &[&str]) -> String {
    let mut flags: Vec<String> = further.iter().map(|flag| (*flag).to_owned()).collect();
    for (flag, is_given) in [("--update", arguments.update), ("--rehearse", arguments.rehearse)] {
        if is_given && !further.contains(&flag) {
            flags.push(flag.to_owned());
        }
    }
    for (flag, values) in
        [("--pass", &arguments.pass), ("--only", &arguments.only), ("--volatile", &arguments.volatile)]
    {
        flags.extend(values.iter().flat_map(|value| [flag.to_owned(), value.clone()]));
    }
    record_again(&flags, path, &arguments.command)
}

async fn run(
    arguments: &RecordArguments,
    path: &Path,
    earlier: Option<Recording>,
    mut budget: RecordBudget,
    context: &CliContext,
) -> CommandResult {
    let earlier_calls = earlier.as_ref().map(|recording| recording.exchanges.len());
    let mode = match earlier {
        None => SessionMode::Record,
        Some(recording) => {
            let rules = MatchRules { ignore: arguments.volatile.clone(), ..MatchRules::default() };
            SessionMode::Replay { recording, rules, on_miss: OnMiss::Record, pace: ReplayPace::Fast }
        }
    };
    let keeps = arguments.suite.is_some() || arguments.rehearse;
    let streams = if keeps { AgentStreams::Kept } else { AgentStreams::Ours };
    let agent = agent(arguments, streams);
    let (mut finished, ended) =
        agent.run(mode, |event, session| budget.take(event, session, context)).await.map_err(CliError::plain)?;
    let ended = ended.map_err(|error| not_started(&error, arguments))?;
    complete(&mut finished, arguments, &ended);
    let kept = earlier_calls.map(|calls| calls - drop_unused(&mut finished, &ended, context));
    let mut status = report(path, &finished, &ended, (&budget, kept), context);
    if status == ExitStatus::Failed || ended.stopped.is_some() || finished.recording.exchanges.is_empty() {
        return Ok(status);
    }
    if arguments.rehearse {
        let rehearsed = rehearsal::rehearse(arguments, path, &ended, context).await;
        status = status.max(rehearsed.unwrap_or_else(|error| error.tell(context)));
    }
    if let Some(folder) = &arguments.suite {
        let written = suite::write(arguments, path, folder, &ended, &finished, context);
        status = status.max(written.unwrap_or_else(|error| error.tell(context)));
    }
    Ok(status)
}

/// Drops calls that did not reach their host, so that they are made again.
fn drop_unreachable(recording: &mut Recording) {
    let unreachable = recording.exchanges.iter().filter(|exchange| matches!(exchange.end.how, EndKind::Unreachable(_)));
    let ids: Vec<u64> = unreachable.map(|exchange| exchange.id).collect();
    if !ids.is_empty() {
        recording.remove(&Remove { ids, ..Remove::default() });
    }
}

/// Drops calls that the agent no longer made, if it succeeded: otherwise it may not have reached them. Returns the
/// number of dropped calls.
fn drop_unused(finished: &mut FinishedSession, ended: &AgentEnd, context: &CliContext) -> usize {
    let ids = std::mem::take(&mut finished.tally.unused);
    if ids.is_empty() || ended.status() != ExitStatus::Success {
        return 0;
    }
    let count = counted(ids.len(), "recorded call is", "recorded calls are");
    context.say(&format!("{count} no longer made and removed from the recording\n"));
    finished.recording.remove(&Remove { ids, ..Remove::default() }).exchanges
}

/// The command, and the hosts that it may reach.
pub(super) fn agent(arguments: &RecordArguments, streams: AgentStreams) -> AgentCommand<'_> {
    let hosts = RecordedHosts { pass: arguments.pass.clone(), only: arguments.only.clone(), allow: Vec::new() };
    let (limit, reach) = (arguments.limits.max_wall, &arguments.reach);
    AgentCommand { command: &arguments.command, limit, streams, reach, hosts }
}

/// Adds what only the command line knows to the recording.
fn complete(finished: &mut FinishedSession, arguments: &RecordArguments, ended: &AgentEnd) {
    ended.complete(finished, &arguments.command);
    let recording = &mut finished.recording;
    for pointer in &arguments.volatile {
        let hole = LearnedHole { speaks: None, at: pointer.clone(), from: "volatile".into() };
        if !recording.holes.contains(&hole) {
            recording.holes.push(hole);
        }
    }
}

fn not_started(error: &SpawnError, arguments: &RecordArguments) -> CliError {
    let help = match error {
        SpawnError::NotFound(program) if program.contains(' ') => {
            Some(format!("pass the command and its arguments as separate words: `agentci record -- {program}`"))
        }
        SpawnError::NotFound(_) => Some("is it installed, and on `PATH`?".to_owned()),
        SpawnError::NotExecutable(program) if Path::new(program).extension().is_some_and(|ending| ending == "py") => {
            Some(format!(
                "run it with its interpreter: `agentci record -- python3 {}`",
                command_line(&arguments.command)
            ))
        }
        _ => None,
    };
    CliError { help, ..CliError::plain(error).usage() }
}
