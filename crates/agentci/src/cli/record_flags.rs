//! The flags of `agentci record` for suites: what is recorded again, and where.

use agentci::plan::{Case, Mode};
use clap::Args;

use super::{CliError, LoadedSuite, RunArguments, Suites, in_ci};

/// Arguments of `agentci record` with suites.
#[derive(Debug, Args)]
pub(crate) struct RecordSuiteArguments {
    #[command(flatten)]
    pub(super) run: RunArguments,
    #[command(flatten)]
    pub(super) recording: RecordFlags,
}

/// Flags that only recording has a use for.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct RecordFlags {
    /// Keep recorded answers that still match, and record only missing ones
    #[arg(long, help_heading = "Recording")]
    pub(super) update: bool,
    /// Record even if `CI` is set; the agents call real models and tools
    #[arg(long, help_heading = "Recording")]
    yes: bool,
}

impl RecordFlags {
    /// Refuses a run that would call the live world in CI: a forgotten mode must not cost money.
    pub(super) fn allowed(&self, suites: &Suites, mode: Option<Mode>) -> Result<(), CliError> {
        let records = |loaded: &&LoadedSuite| mode.unwrap_or(loaded.suite.mode) == Mode::Record;
        let live = |case: &&Case| case.skip.is_none() && case.broken.is_none() && case.recorded_world().is_some();
        let case = suites.loaded().iter().filter(records).flat_map(LoadedSuite::written_cases).find(live);
        let Some(case) = case.filter(|_| in_ci() && !self.yes) else { return Ok(()) };
        let message = format!(
            "nothing was recorded: `CI` is set, and `{}` would call the real model and tools of its agent",
            case.id.escape_debug()
        );
        Err(CliError::new(message, "record on your machine and commit the recordings, or add `--yes`"))
    }
}
