//! The flags of `agentci record -- CMD`.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use agentci::source::parse_duration;
use clap::Args;

use super::file_name;
use crate::cli::recorded::ReachFlags;

/// Arguments of `agentci record -- CMD`.
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag")]
pub(crate) struct RecordArguments {
    /// Suites to record, only without a command
    #[arg(value_name = "PATH", hide = true)]
    pub(super) paths: Vec<PathBuf>,
    /// File to write the recording to [default: `recordings/<program>.jsonl`]
    #[arg(short, long, visible_alias = "output", value_name = "FILE", conflicts_with = "name")]
    pub(super) out: Option<PathBuf>,
    /// Name of the recording in `recordings` [default: name of the program, or of the script it runs]
    #[arg(long, value_name = "NAME", value_parser = file_name::given)]
    pub(super) name: Option<String>,
    /// Keep recorded calls that still match, and record only missing ones
    #[arg(long)]
    pub(super) update: bool,
    /// Replay after recording to detect values that vary between runs; repeats the agent's local side effects
    #[arg(long)]
    pub(super) rehearse: bool,
    /// Tunnel connections to this host without recording them; `*` matches any characters (may be repeated)
    #[arg(long, value_name = "HOST")]
    pub(super) pass: Vec<String>,
    /// Record only connections to this host; `*` matches any characters (may be repeated)
    #[arg(long, value_name = "HOST")]
    pub(super) only: Vec<String>,
    /// Ignore this part of request bodies in replays: a JSON pointer, `*` matches one name or index (may be repeated)
    #[arg(long, value_name = "POINTER", value_parser = pointer)]
    pub(super) volatile: Vec<String>,
    #[command(flatten)]
    pub(super) limits: SpendingFlags,
    /// Generate a suite with checks derived from the recording, as `agentci.yaml` in DIR [default DIR: `.`]
    #[arg(long, value_name = "DIR", num_args = 0..=1, default_missing_value = ".")]
    pub(super) suite: Option<PathBuf>,
    /// Overwrite an existing suite
    #[arg(long, requires = "suite")]
    pub(super) force: bool,
    /// Record even if `CI` is set; the command calls real models and tools
    #[arg(long)]
    pub(super) yes: bool,
    /// Command and its arguments
    #[arg(last = true, required = true, value_name = "CMD")]
    pub(super) command: Vec<OsString>,
    // Flags after these would appear under their heading.
    #[command(flatten)]
    pub(super) reach: ReachFlags,
}

/// Flags that limit what a recording costs.
#[derive(Debug, Args)]
pub(super) struct SpendingFlags {
    /// Refuse requests once the recorded model calls have cost more than this amount in US dollars
    #[arg(long, value_name = "USD", value_parser = dollars)]
    pub(super) max_cost: Option<f64>,
    /// Stop the command after this time, and keep what was recorded
    #[arg(long, value_name = "DURATION", value_parser = parse_duration)]
    pub(super) max_wall: Option<Duration>,
    /// JSON file of model prices in US dollars per million tokens; overrides the built-in prices
    #[arg(long, value_name = "FILE")]
    pub(super) prices: Option<PathBuf>,
}

fn dollars(text: &str) -> Result<f64, String> {
    let amount = text.strip_prefix('$').unwrap_or(text).parse::<f64>().ok();
    amount.filter(|amount| amount.is_finite() && *amount >= 0.0).ok_or_else(|| "expected an amount such as 0.50".into())
}

/// Parses a JSON pointer, which must start with a slash.
pub(in crate::cli) fn pointer(text: &str) -> Result<String, String> {
    if text.starts_with('/') {
        return Ok(text.to_owned());
    }
    Err(format!("a JSON pointer starts with `/`: `/{}`", text.replace('.', "/")))
}
