//! The command itself.

use clap::{Args, Subcommand};

use super::check::{CheckArguments, check};
use super::clean::{CleanArguments, remove};
use super::drift::{DriftArguments, drift};
use super::show::{DiffArguments, ShowArguments, compare, print};
use crate::cli::cli_error::CommandResult;
use crate::cli::context::Context;

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
    /// Find recordings that are old, unused or hold errors and secrets
    Check(CheckArguments),
    /// Ask the live world again for what is recorded, and say how its answers changed
    Drift(DriftArguments),
}

pub(crate) fn recording(arguments: &RecordingArguments, context: &Context) -> CommandResult {
    match &arguments.what {
        What::Show(arguments) => print(arguments, context),
        What::Diff(arguments) => compare(arguments, context),
        What::Clean(arguments) => remove(arguments, context),
        What::Check(arguments) => check(arguments, context),
        What::Drift(arguments) => drift(arguments, context),
    }
}
