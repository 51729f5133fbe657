//! Runs `agentci recording`.

use std::path::PathBuf;

use agentci_recorder::{diff, show};
use clap::{Args, Subcommand};

use super::check::{RecordingCheckArguments, check};
use super::clean::{CleanArguments, remove};
use super::drift::{DriftArguments, drift};
use crate::cli::{CliContext, CommandResult, ExitStatus, recorded};

#[derive(Debug, Subcommand)]
pub(crate) enum RecordingCommand {
    /// Print the recorded calls, one per line
    Show(ShowArguments),
    /// Compare two recordings; exit code 0 if they are equal, 1 if not
    Diff(RecordingDiffArguments),
    /// Remove calls or secrets from a recording
    Clean(CleanArguments),
    /// Find recordings that are old or unused, or contain errors or secrets
    Check(RecordingCheckArguments),
    /// Repeat recorded calls against the live services and report changed responses
    Drift(DriftArguments),
}

pub(crate) fn recording(command: &RecordingCommand, context: &CliContext) -> CommandResult {
    match command {
        RecordingCommand::Show(arguments) => print(arguments, context),
        RecordingCommand::Diff(arguments) => compare(arguments, context),
        RecordingCommand::Clean(arguments) => remove(arguments, context),
        RecordingCommand::Check(arguments) => check(arguments, context),
        RecordingCommand::Drift(arguments) => drift(arguments, context),
    }
}

#[derive(Debug, Args)]
pub(crate) struct ShowArguments {
    /// Recording to print
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct RecordingDiffArguments {
    /// Earlier recording
    #[arg(value_name = "A")]
    before: PathBuf,
    /// Later recording
    #[arg(value_name = "B")]
    after: PathBuf,
}

fn print(arguments: &ShowArguments, context: &CliContext) -> CommandResult {
    context.print(&show(&recorded::read(&arguments.file)?));
    Ok(ExitStatus::Success)
}

fn compare(arguments: &RecordingDiffArguments, context: &CliContext) -> CommandResult {
    let (before, after) = (recorded::read(&arguments.before)?, recorded::read(&arguments.after)?);
    let difference = diff(&before, &after);
    context.print(&difference);
    // Two equal recordings have the same diff as a recording with itself.
    let equal = difference == diff(&before, &before);
    Ok(if equal { ExitStatus::Success } else { ExitStatus::Failed })
}
