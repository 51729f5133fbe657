//! `agentci recording`: looks at recordings, and removes things from them.

use std::path::PathBuf;

use agentci::verdict::ExitStatus;
use agentci_recorder::{Remove, diff, show};
use clap::{Args, Subcommand};

use super::context::Context;
use super::record::counted;
use super::recorded;
use super::usage_error::UsageError;

/// Arguments of `agentci recording`.
#[derive(Debug, Args)]
pub(crate) struct RecordingArguments {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Print what was exchanged, one line a call
    Show(ShowArguments),
    /// Compare two recordings; the exit code is 0 if they are equal and 1 if they are not
    Diff(DiffArguments),
    /// Remove something from a recording
    Clean(CleanArguments),
}

#[derive(Debug, Args)]
struct ShowArguments {
    /// The recording
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

#[derive(Debug, Args)]
struct DiffArguments {
    /// The earlier recording
    #[arg(value_name = "A")]
    before: PathBuf,
    /// The later recording
    #[arg(value_name = "B")]
    after: PathBuf,
}

#[derive(Debug, Args)]
struct CleanArguments {
    /// The recording, which is rewritten
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Remove telemetry and the like
    #[arg(long)]
    chatter: bool,
    /// Remove all calls to this host (may be repeated)
    #[arg(long, value_name = "HOST")]
    host: Vec<String>,
    /// Remove the call with this number (may be repeated)
    #[arg(long, value_name = "N")]
    id: Vec<u64>,
    /// Remove the value of this environment variable everywhere (may be repeated)
    #[arg(long, value_name = "NAME")]
    value_from_env: Vec<String>,
}

pub(crate) fn recording(arguments: &RecordingArguments, context: &Context) -> ExitStatus {
    let done = match &arguments.what {
        What::Show(arguments) => print(arguments, context),
        What::Diff(arguments) => compare(arguments, context),
        What::Clean(arguments) => remove(arguments, context),
    };
    done.unwrap_or_else(|error| error.tell(context))
}

fn print(arguments: &ShowArguments, context: &Context) -> Result<ExitStatus, UsageError> {
    context.print(&show(&recorded::read(&arguments.file)?));
    Ok(ExitStatus::Success)
}

fn compare(arguments: &DiffArguments, context: &Context) -> Result<ExitStatus, UsageError> {
    let (before, after) = (recorded::read(&arguments.before)?, recorded::read(&arguments.after)?);
    let difference = diff(&before, &after);
    context.print(&difference);
    // What a recording says of itself is what there is to say of two that are equal.
    let equal = difference == diff(&before, &before);
    Ok(if equal { ExitStatus::Success } else { ExitStatus::Failed })
}

fn remove(arguments: &CleanArguments, context: &Context) -> Result<ExitStatus, UsageError> {
    let what = Remove {
        chatter: arguments.chatter,
        ids: arguments.id.clone(),
        hosts: arguments.host.clone(),
        values: arguments.value_from_env.iter().map(|name| value(name)).collect::<Result<_, _>>()?,
    };
    if what == Remove::default() {
        let help = "say what: `--chatter`, `--host HOST`, `--id N` or `--value-from-env NAME`";
        return Err(UsageError::new("nothing is to be removed", help));
    }
    let mut recording = recorded::read(&arguments.file)?;
    let before = recording.clone();
    let removed = recording.remove(&what);
    if !removed.unknown.is_empty() {
        let unknown = removed.unknown.join(", ");
        let help = "`agentci recording show` lists every call with its number and host; nothing was changed";
        return Err(UsageError::new(format!("no call has this number or host: {unknown}"), help));
    }
    if removed.short > 0 {
        let help = "change the key instead, and record again; nothing was changed";
        return Err(UsageError::new("a value is too short to be removed wherever it stands", help));
    }
    let mut secrets = agentci::environment_secrets();
    what.values.iter().for_each(|value| secrets.learn_value(value));
    recorded::write(&arguments.file, &recording, &secrets)?;
    let file = arguments.file.display();
    if removed.exchanges > 0 || what.values.is_empty() {
        context.say(&format!("removed {} from {file}\n", counted(removed.exchanges, "call", "calls")));
    } else if recording == before {
        context.say(&format!("no such value is in {file}\n"));
    } else {
        context.say(&format!("removed what `--value-from-env` names from {file}\n"));
    }
    Ok(ExitStatus::Success)
}

fn value(name: &str) -> Result<String, UsageError> {
    let value = std::env::var(name).ok().filter(|value| !value.is_empty());
    value.ok_or_else(|| {
        UsageError::new(format!("the environment variable `{name}` has no value"), "set it to the value to remove")
    })
}
