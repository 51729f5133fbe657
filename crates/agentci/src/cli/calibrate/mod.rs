//! `agentci check --calibrate`: how well semantic checks tell right from wrong on the user's own labelled pairs.

mod labels;
mod measure;
mod table;

use std::path::Path;

use super::{CliContext, CommandResult, ExitStatus, execute::runtime};

/// Measures the pairs of a file with an embedder, and prints the result.
pub(super) fn calibrate(path: &Path, embedder: Option<&str>, context: &CliContext) -> CommandResult {
    let labels = labels::read(path)?;
    let embedder = measure::open(embedder)?;
    let measured = runtime()?.block_on(measure::all(&embedder, &labels))?;
    context.print(&context.without_secrets(&table::table(path, &embedder, &labels, &measured)));
    Ok(ExitStatus::Success)
}
