//! `agentci recording show` and `diff`: looks at recordings.

use std::path::PathBuf;

use agentci_recorder::{diff, show};
use clap::Args;

use crate::cli::{CliContext, CommandResult, ExitStatus, recorded};

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

pub(super) fn print(arguments: &ShowArguments, context: &CliContext) -> CommandResult {
    context.print(&show(&recorded::read(&arguments.file)?));
    Ok(ExitStatus::Success)
}

pub(super) fn compare(arguments: &RecordingDiffArguments, context: &CliContext) -> CommandResult {
    let (before, after) = (recorded::read(&arguments.before)?, recorded::read(&arguments.after)?);
    let difference = diff(&before, &after);
    context.print(&difference);
    // What a recording says of itself is what there is to say of two that are equal.
    let equal = difference == diff(&before, &before);
    Ok(if equal { ExitStatus::Success } else { ExitStatus::Failed })
}
