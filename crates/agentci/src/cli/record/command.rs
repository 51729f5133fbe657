//! The command itself.

use std::path::Path;

use agentci::verdict::ExitStatus;
use agentci_process::SpawnError;
use agentci_recorder::{Finished, LearnedHole, MatchRules, Mode, OnMiss, Pace, Recording};
use tokio::sync::mpsc::unbounded_channel;

use super::arguments::RecordArguments;
use super::budget::Budget;
use super::destination::{Claim, destination};
use super::outcome::{Counted, report};
use super::{rehearsal, suite, update};
use crate::cli::context::Context;
use crate::cli::execute::runtime;
use crate::cli::recorded::{self, Agent, Ended, Given, Hosts, Signals, command_line, in_ci, record_again};
use crate::cli::usage_error::UsageError;

pub(crate) fn record(arguments: &RecordArguments, context: &Context) -> ExitStatus {
    let path = destination(arguments);
    let (_claim, earlier, budget) = match prepare(arguments, &path) {
        Ok(prepared) => prepared,
        Err((error, status)) => {
            error.tell(context);
            return status;
        }
    };
    let Some(runtime) = runtime(context) else { return ExitStatus::Failed };
    let status = runtime.block_on(run(arguments, &path, earlier, budget, context));
    // A thread may still read from a standard input that never ends.
    runtime.shutdown_background();
    status
}

/// What must be so before anything is run: the place of the recording is ours, what is there already, and what calls cost.
fn prepare(
    arguments: &RecordArguments,
    path: &Path,
) -> Result<(Claim, Option<Recording>, Budget), (UsageError, ExitStatus)> {
    let line = command_line(&arguments.command);
    if let Some(suite) = arguments.paths.first() {
        let suite = suite.display();
        let message = format!("`agentci record` records a command or suites, not both: `{suite}` is before `--`");
        let help = format!("write `agentci record -- {line}` or `agentci record {suite}`");
        return Err((UsageError::new(message, help), ExitStatus::Usage));
    }
    let failed = |error| (error, ExitStatus::Failed);
    if in_ci() && !arguments.yes {
        let message = "`agentci record` calls real models and tools, so it does not run while `CI` is set";
        let again = again(arguments, path, &["--yes"]);
        let help = format!("commit the recording and use `agentci replay` here, or write `{again}`");
        return Err(failed(UsageError::new(message, help)));
    }
    let claim = Claim::take(path).map_err(failed)?;
    // A link that leads nowhere is there, too.
    let earlier = match (fs_err::symlink_metadata(path).is_ok(), arguments.update) {
        (false, _) => None,
        (true, true) => {
            let mut recording = recorded::read(path).map_err(failed)?;
            update::drop_unreachable(&mut recording);
            Some(recording)
        }
        (true, false) => {
            let shown = path.display();
            let help = format!(
                "`--update` records only what it does not answer yet; to start again delete it or write elsewhere with `--out`: \
                 `{}`",
                again(arguments, path, &["--update"])
            );
            return Err(failed(UsageError::new(format!("the recording `{shown}` already exists"), help)));
        }
    };
    if let Some(folder) = &arguments.suite {
        suite::may_write(folder, arguments.force).map_err(failed)?;
    }
    let budget = Budget::new(arguments.limits.max_cost, arguments.limits.prices.as_deref()).map_err(failed)?;
    Ok((claim, earlier, budget))
}

/// The line that was given, with further flags. Those that only limit one recording are left out.
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
    mut budget: Budget,
    context: &Context,
) -> ExitStatus {
    let signals = Signals::listen();
    let earlier_calls = earlier.as_ref().map(|recording| recording.exchanges.len());
    let mode = match earlier {
        None => Mode::Record,
        Some(recording) => {
            let rules = MatchRules { ignore: arguments.volatile.clone(), ..MatchRules::default() };
            Mode::Replay { recording, rules, on_miss: OnMiss::Record, pace: Pace::Fast }
        }
    };
    let (observer, mut seen) = unbounded_channel();
    let hosts = Hosts { pass: arguments.pass.clone(), only: arguments.only.clone(), allow: Vec::new() };
    let session = match arguments.reach.start(mode, hosts, Some(observer)).await {
        Ok(session) => session,
        Err(error) => {
            context.complain(&error.to_string(), None);
            return ExitStatus::Failed;
        }
    };
    let keeps = arguments.suite.is_some() || arguments.rehearse;
    let streams = if keeps { Given::Kept } else { Given::Ours };
    let agent = Agent { command: &arguments.command, limit: arguments.limits.max_wall, streams, signals };
    let ended = agent.run(&session, &mut seen, |event| budget.take(&event, &session, context)).await;
    let mut finished = session.finish().await;
    while let Ok(event) = seen.try_recv() {
        budget.count(&event, context);
    }
    let ended = match ended {
        Ok(ended) => ended,
        Err(error) => return not_started(&error, arguments, context),
    };
    complete(&mut finished, arguments, &ended);
    let kept = earlier_calls.map(|calls| calls - update::drop_unused(&mut finished, &ended, context));
    let mut status = report(path, &finished, &ended, &Counted { budget: &budget, kept }, context);
    if status == ExitStatus::Failed || ended.stopped.is_some() || finished.recording.exchanges.is_empty() {
        return status;
    }
    if arguments.rehearse {
        status = status.max(rehearsal::rehearse(arguments, path, &ended, context).await);
    }
    if let Some(folder) = &arguments.suite {
        let first = suite::First { command: &arguments.command, recording: path, folder, ended: &ended };
        status = status.max(first.write(&finished, context));
    }
    status
}

/// Adds what only the command line knows.
fn complete(finished: &mut Finished, arguments: &RecordArguments, ended: &Ended) {
    let mut command: Vec<String> = arguments.command.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    finished.secrets.arguments(&mut command);
    let recording = &mut finished.recording;
    recording.header.command = command;
    recording.exit = Some(ended.recorded());
    for pointer in &arguments.volatile {
        let hole = LearnedHole { speaks: None, at: pointer.clone(), from: "volatile".into() };
        if !recording.holes.contains(&hole) {
            recording.holes.push(hole);
        }
    }
}

fn not_started(error: &SpawnError, arguments: &RecordArguments, context: &Context) -> ExitStatus {
    let help = match error {
        SpawnError::NotFound(program) if program.contains(' ') => {
            Some(format!("give the command and its arguments as separate words: `agentci record -- {program}`"))
        }
        SpawnError::NotFound(_) => Some("is it installed, and on `PATH`?".to_owned()),
        SpawnError::NotExecutable(program) if Path::new(program).extension().is_some_and(|ending| ending == "py") => {
            Some(format!("run it by its interpreter: `agentci record -- python3 {}`", command_line(&arguments.command)))
        }
        _ => None,
    };
    context.complain(&error.to_string(), help.as_deref());
    ExitStatus::Usage
}
