//! The command itself.

use clap::Subcommand;

use super::check::{RecordingCheckArguments, check};
use super::clean::{CleanArguments, remove};
use super::drift::{DriftArguments, drift};
use super::show::{RecordingDiffArguments, ShowArguments, compare, print};
use crate::cli::{CliContext, CommandResult};

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
