//! `agentci recording clean`: removes calls or secrets from a recording.

use std::path::PathBuf;

use agentci_recorder::Remove;
use clap::Args;

use crate::cli::{CliContext, CliError, CommandResult, ExitStatus, counted, recorded};

#[derive(Debug, Args)]
pub(crate) struct CleanArguments {
    /// Recording to edit in place
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Remove telemetry calls
    #[arg(long)]
    chatter: bool,
    /// Remove all calls to this host (may be repeated)
    #[arg(long, value_name = "HOST")]
    host: Vec<String>,
    /// Remove the call with this number (may be repeated)
    #[arg(long, value_name = "N")]
    id: Vec<u64>,
    /// Remove the value of this environment variable wherever it occurs (may be repeated)
    #[arg(long, value_name = "NAME")]
    value_from_env: Vec<String>,
}

pub(super) fn remove(arguments: &CleanArguments, context: &CliContext) -> CommandResult {
    let what = Remove {
        chatter: arguments.chatter,
        ids: arguments.id.clone(),
        hosts: arguments.host.clone(),
        values: arguments.value_from_env.iter().map(|name| value(name)).collect::<Result<_, _>>()?,
    };
    if what == Remove::default() {
        let help = "specify what to remove: `--chatter`, `--host HOST`, `--id N` or `--value-from-env NAME`";
        return Err(CliError::new("nothing to remove", help));
    }
    let mut recording = recorded::read(&arguments.file)?;
    let before = recording.clone();
    let removed = recording.remove(&what);
    if !removed.unknown.is_empty() {
        let unknown = removed.unknown.join(", ");
        let help = "`agentci recording show` lists every call with its number and host; nothing was changed";
        return Err(CliError::new(format!("no call has this number or host: {unknown}"), help));
    }
    if removed.short > 0 {
        let help = "rotate the key instead, and record again; nothing was changed";
        return Err(CliError::new("a value is too short to be removed everywhere it occurs", help));
    }
    let mut secrets = agentci::environment_secrets();
    what.values.iter().for_each(|value| secrets.learn_value(value));
    recorded::write(&arguments.file, &recording, &secrets)?;
    let file = arguments.file.display();
    if removed.exchanges > 0 || what.values.is_empty() {
        context.say(&format!("removed {} from {file}\n", counted(removed.exchanges, "call", "calls")));
    } else if recording == before {
        context.say(&format!("no such value found in {file}\n"));
    } else {
        context.say(&format!("removed the values of `--value-from-env` from {file}\n"));
    }
    Ok(ExitStatus::Success)
}

fn value(name: &str) -> Result<String, CliError> {
    let value = std::env::var(name).ok().filter(|value| !value.is_empty());
    value.ok_or_else(|| {
        CliError::new(format!("the environment variable `{name}` is unset or empty"), "set it to the value to remove")
    })
}
