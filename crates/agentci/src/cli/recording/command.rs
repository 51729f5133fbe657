//! The command itself.

use std::path::PathBuf;

use agentci_recorder::{diff, show};
use clap::{Args, Subcommand};

use super::check::{RecordingCheckArguments, check};
use super::clean::{CleanArguments, remove};
use super::drift::{DriftArguments, drift};
use crate::cli::{CliContext, CommandResult, ExitStatus, recorded};

#[derive(Debug, Subcommand)]
pub(crate) enum RecordingCommand {
    /// Print what was exchanged, one line a call
    Show(ShowArguments),
    /// Compare two recordings; the exit code is 0 if they are equal and 1 if they are not
    Diff(RecordingDiffArguments),
    /// Remove something from a recording
    Clean(CleanArguments),
    /// Find recordings that are old, unused or hold errors and secrets
    Check(RecordingCheckArguments),
    /// Ask the live world again for what is recorded, and say how its answers changed
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
    /// The recording
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct RecordingDiffArguments {
    /// The earlier recording
    #[arg(value_name = "A")]
    before: PathBuf,
    /// The later recording
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
    // What a recording says of itself is what there is to say of two that are equal.
    let equal = difference == diff(&before, &before);
    Ok(if equal { ExitStatus::Success } else { ExitStatus::Failed })
}
