//! The flags of `agentci replay`.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use agentci::source::parse_duration;
use agentci_recorder::{OnMiss, ReplayPace};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Args, ValueEnum};

use crate::cli::command_line;
use crate::cli::record::pointer;
use crate::cli::recorded::ReachFlags;

/// Arguments of `agentci replay`.
#[derive(Debug, Args)]
pub(crate) struct ReplayArguments {
    /// Recording to replay
    #[arg(value_name = "FILE")]
    pub(super) file: PathBuf,
    /// What to do with a request that is not in the recording
    #[arg(long, value_name = "ACTION", default_value = "fail")]
    pub(super) on_miss: MissAction,
    /// Speed of the responses: `fast`, `recorded`, or a factor such as `2x`
    #[arg(long, value_name = "PACE", default_value = "fast", value_parser = pace)]
    pub(super) pace: ReplayPace,
    /// Allow the agent to connect to this address, such as `127.0.0.1:5432` (may be repeated)
    #[arg(long, value_name = "ADDR:PORT", value_parser = address)]
    pub(super) allow: Vec<String>,
    /// Fail if a recorded call is not made
    #[arg(long)]
    pub(super) strict: bool,
    /// Ignore this part of request bodies: a JSON pointer, `*` matches one name or index (may be repeated)
    #[arg(long, value_name = "POINTER", value_parser = pointer)]
    pub(super) ignore: Vec<String>,
    /// Ignore system prompts when matching requests
    #[arg(long)]
    pub(super) no_system: bool,
    /// Also match this request header (may be repeated)
    #[arg(long, value_name = "NAME")]
    pub(super) match_header: Vec<String>,
    /// Stop the command after this time, and fail
    #[arg(long, value_name = "DURATION", value_parser = parse_duration)]
    pub(super) timeout: Option<Duration>,
    /// Command and its arguments [default: the recorded command]
    #[arg(last = true, value_name = "CMD")]
    pub(super) command: Vec<OsString>,
    // Flags after these would appear under their heading.
    #[command(flatten)]
    pub(super) fork: ForkFlags,
    #[command(flatten)]
    pub(super) reach: ReachFlags,
}

/// Flags that leave the recording after a call.
#[derive(Debug, Args)]
#[command(next_help_heading = "Forking a recording")]
pub(super) struct ForkFlags {
    /// Replay the first N calls, as numbered by `agentci recording show`, then fork
    #[arg(long, value_name = "N", requires = "then", conflicts_with_all = ["on_miss", "strict"])]
    pub(super) until: Option<u64>,
    /// Continue after the fork with `live` services or with this model script
    #[arg(long, value_name = "live|SCRIPT", requires = "until")]
    pub(super) then: Option<PathBuf>,
    /// Change a replayed response: `/calls/N/result[/POINTER]=JSON` or `/calls/N/status=CODE` (may be repeated)
    #[arg(long, value_name = "POINTER=VALUE", requires = "until")]
    pub(super) set: Vec<String>,
    /// File to write the fork to [default: FILE with the extension `.fork.jsonl`]
    #[arg(short, long, visible_alias = "output", value_name = "FORK", requires = "until")]
    pub(super) out: Option<PathBuf>,
}

/// What to do with a request that is not in the recording.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum MissAction {
    /// Refuse the request, and fail the replay
    Fail,
    /// Send it to the live service
    Live,
    /// Send it to the live service, and add it to the recording
    Record,
}

impl From<MissAction> for OnMiss {
    fn from(missed: MissAction) -> Self {
        match missed {
            MissAction::Fail => OnMiss::Fail,
            MissAction::Live => OnMiss::Live,
            MissAction::Record => OnMiss::Record,
        }
    }
}

/// Suggests the missing `--` if a command directly follows the recording.
pub(crate) fn advise(words: &[OsString], error: &mut clap::Error) {
    let Some(ContextValue::String(first)) = error.get(ContextKind::InvalidArg) else { return };
    let is_replay = words.get(1).is_some_and(|word| word == "replay");
    if error.kind() != ErrorKind::UnknownArgument || !is_replay || first.starts_with('-') {
        return;
    }
    let Some(at) = words.iter().position(|word| *word == **first) else { return };
    let line = format!("{} -- {}", command_line(&words[1..at]), command_line(&words[at..]));
    let advice = format!("a command comes after `--`: `agentci {line}`");
    error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![advice.into()]));
}

/// Parses a host or an address with a port; `*` matches any text.
fn address(text: &str) -> Result<String, String> {
    let port = |port: &str| port == "*" || port.parse::<u16>().is_ok_and(|port| port > 0);
    match text.rsplit_once(':') {
        Some((host, after)) if !host.is_empty() && !host.contains(['/', ' ']) && port(after) => Ok(text.to_owned()),
        _ => Err("expected an address with a port, such as `127.0.0.1:5432`".into()),
    }
}

fn pace(text: &str) -> Result<ReplayPace, String> {
    let factor = |text: &str| text.parse::<f64>().ok().filter(|factor| factor.is_finite() && *factor > 0.0);
    match text {
        "fast" => Ok(ReplayPace::Fast),
        "recorded" => Ok(ReplayPace::Times(1.0)),
        _ => text
            .strip_suffix('x')
            .and_then(factor)
            .map(ReplayPace::Times)
            .ok_or_else(|| "expected `fast`, `recorded`, or a factor such as `2x`".to_owned()),
    }
}
