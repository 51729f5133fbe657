//! The flags of a fork.

use std::path::PathBuf;

use clap::Args;

/// Flags that leave the recording after a call.
#[derive(Debug, Args)]
#[command(next_help_heading = "Time travel")]
pub(in super::super) struct ForkFlags {
    /// Answer the first N calls from the recording, as `agentci recording show` numbers them, and then leave it
    #[arg(long, value_name = "N", requires = "then", conflicts_with_all = ["on_miss", "strict"])]
    pub(in super::super) until: Option<u64>,
    /// How the agent goes on after them: `live`, or with the scripted model of this file
    #[arg(long, value_name = "live|SCRIPT", requires = "until")]
    pub(super) then: Option<PathBuf>,
    /// Change one of the N answers: `/calls/N/result=JSON`, `/calls/N/result/POINTER=JSON` or `/calls/N/status=CODE` (may be repeated)
    #[arg(long, value_name = "POINTER=VALUE", requires = "until")]
    pub(super) set: Vec<String>,
    /// Where to write the recording of the fork [default: FILE with `.fork.jsonl`]
    #[arg(short, long, visible_alias = "output", value_name = "FORK", requires = "until")]
    pub(super) out: Option<PathBuf>,
}
