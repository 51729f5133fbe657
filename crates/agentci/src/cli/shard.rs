//! Flags for sharded runs.

use std::path::PathBuf;

use agentci::shards::{Durations, Shard, ShardError, split};
use clap::Args;

use super::{CliContext, CliError, Suites, stored_run};

/// Flags for a run that several machines share.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct ShardFlags {
    /// Run only shard K of N, or with `auto` the shard given by CI variables; combine the runs with `agentci merge`
    #[arg(long, value_name = "K/N|auto", value_parser = shard, help_heading = "Sharding")]
    shard: Option<Shard>,
    /// Balance shards by the case durations of an earlier run; pass the same runs to every shard (may be repeated)
    #[arg(long, value_name = "RUN_DIR", requires = "shard", help_heading = "Sharding")]
    shard_by: Vec<PathBuf>,
}

fn shard(text: &str) -> Result<Shard, ShardError> {
    if text == "auto" { Shard::auto(&|name| std::env::var(name).ok()) } else { text.parse() }
}

impl ShardFlags {
    /// Keeps only the selected cases of this shard.
    pub(crate) fn apply(&self, suites: &mut Suites, context: &CliContext) -> Result<(), CliError> {
        let Some(shard) = self.shard else { return Ok(()) };
        let mut durations = None;
        for run in &self.shard_by {
            durations.get_or_insert_with(Durations::default).learn(&stored_run::summary(run)?);
        }
        let any = |suites: &Suites| suites.loaded().iter().any(|loaded| !loaded.selected.is_empty());
        let before = any(suites);
        split(suites, shard, durations.as_ref());
        if before && !any(suites) {
            context.say(&format!("shard {} of {} has no cases\n", shard.index, shard.count));
        }
        Ok(())
    }
}
