//! `agentci diff`: compares what the agents of two runs did, or a run with a baseline by its gates.

mod against_baseline;
mod stored;
mod trajectories;

use std::path::PathBuf;

use clap::Args;

use super::{CliContext, CliError, CommandResult, stored_run};

/// Arguments of `agentci diff`.
#[derive(Debug, Args)]
#[command(
    override_usage = "agentci diff [OPTIONS] <A> <B>\n       agentci diff [--json] --baseline <FILE> --run <RUN_DIR>"
)]
pub(crate) struct DiffArguments {
    /// Run folder or baseline to compare with
    #[arg(value_name = "A", required_unless_present = "baseline", requires = "new")]
    old: Option<PathBuf>,
    /// Run folder or baseline that is compared
    #[arg(value_name = "B")]
    new: Option<PathBuf>,
    /// Baseline file whose gates and results are compared
    #[arg(long, value_name = "FILE", requires = "run", conflicts_with_all = ["old", "new"])]
    baseline: Option<PathBuf>,
    /// With `--baseline`: the run folder, or its `summary.json`
    #[arg(long, value_name = "RUN_DIR", requires = "baseline")]
    run: Option<PathBuf>,
    /// Print the comparison as JSON
    #[arg(long)]
    json: bool,
    /// Write the comparison to a file by extension: .md, .html, .json or .txt (may be repeated)
    #[arg(short, long, value_name = "PATH", conflicts_with = "baseline")]
    out: Vec<PathBuf>,
    /// Also show ids and times that vary from run to run
    #[arg(long, conflicts_with = "baseline")]
    exact: bool,
    /// Exit with 1 if anything differs
    #[arg(long, conflicts_with = "baseline")]
    exit_code: bool,
}

pub(crate) fn diff(arguments: &DiffArguments, context: &CliContext) -> CommandResult {
    match (&arguments.old, &arguments.new, &arguments.baseline, &arguments.run) {
        (Some(old), Some(new), ..) => trajectories::diff(old, new, arguments, context),
        (_, _, Some(baseline), Some(run)) => against_baseline::diff(baseline, run, arguments.json, context),
        _ => unreachable!("the command line requires one of both pairs"),
    }
}
