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
    /// Suites, which are recorded without a command
    #[arg(value_name = "PATH", hide = true)]
    pub(super) paths: Vec<PathBuf>,
    /// Where to write the recording [default: `recordings/<program>.jsonl`]
    #[arg(short, long, visible_alias = "output", value_name = "FILE", conflicts_with = "name")]
    pub(super) out: Option<PathBuf>,
    /// The name of the recording below `recordings` [default: that of the program, or of the script it runs]
    #[arg(long, value_name = "NAME", value_parser = file_name::given)]
    pub(super) name: Option<String>,
    /// Keep what the recording already answers, and record only what it does not
    #[arg(long)]
    pub(super) update: bool,
    /// Replay once after recording to learn what differs from run to run; local effects of the agent happen twice
    #[arg(long)]
    pub(super) rehearse: bool,
    /// Tunnel connections to this host unread; `*` stands for any text
    #[arg(long, value_name = "HOST")]
    pub(super) pass: Vec<String>,
    /// Record connections to this host only; `*` stands for any text
    #[arg(long, value_name = "HOST")]
    pub(super) only: Vec<String>,
    /// Do not compare this place of request bodies in replays: a JSON pointer, `*` stands for one name or index
    #[arg(long, value_name = "POINTER", value_parser = pointer)]
    pub(super) volatile: Vec<String>,
    #[command(flatten)]
    pub(super) limits: SpendingFlags,
    /// Write a first suite with checks drawn from what was recorded, to `agentci.yaml` in this folder [default: `.`]
    #[arg(long, value_name = "DIR", num_args = 0..=1, default_missing_value = ".")]
    pub(super) suite: Option<PathBuf>,
    /// Replace the suite if it exists
    #[arg(long, requires = "suite")]
    pub(super) force: bool,
    /// Record although `CI` is set
    #[arg(long)]
    pub(super) yes: bool,
    /// The command and its arguments
    #[arg(last = true, required = true, value_name = "CMD")]
    pub(super) command: Vec<OsString>,
    // Flags after these would come under their heading.
    #[command(flatten)]
    pub(super) reach: ReachFlags,
}

/// Flags that limit what a recording costs.
#[derive(Debug, Args)]
pub(super) struct SpendingFlags {
    /// Refuse further requests once the recorded model calls cost more than this, in US dollars
    #[arg(long, value_name = "USD", value_parser = dollars)]
    pub(super) max_cost: Option<f64>,
    /// End the command after this time; what was recorded until then is kept
    #[arg(long, value_name = "DURATION", value_parser = parse_duration)]
    pub(super) max_wall: Option<Duration>,
    /// A JSON file with prices of models, in US dollars per million tokens; they take precedence over the built-in ones
    #[arg(long, value_name = "FILE")]
    pub(super) prices: Option<PathBuf>,
}

fn dollars(text: &str) -> Result<f64, String> {
    let amount = text.strip_prefix('$').unwrap_or(text).parse::<f64>().ok();
    amount.filter(|amount| amount.is_finite() && *amount >= 0.0).ok_or_else(|| "it is an amount such as 0.50".into())
}

/// A JSON pointer: empty, or beginning with a slash.
pub(in crate::cli) fn pointer(text: &str) -> Result<String, String> {
    if text.starts_with('/') {
        return Ok(text.to_owned());
    }
    Err(format!("a JSON pointer begins with `/`: `/{}`", text.replace('.', "/")))
}
