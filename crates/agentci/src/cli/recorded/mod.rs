//! What `agentci record -- CMD` and `agentci replay` share: running the agent, and connecting it to the recorder.

mod agent;
mod file;
mod recorder_address;
mod streams;

pub(super) use agent::{AgentCommand, AgentEnd, StopReason, without_secrets};
pub(super) use file::{command_line, default_file, read, record_again, size, write};
pub(super) use recorder_address::{ReachFlags, RecordedHosts, environment, own_authorities};
pub(super) use streams::AgentStreams;

/// Whether this runs in CI.
pub(super) fn in_ci() -> bool {
    std::env::var("CI").is_ok_and(|value| !["", "false", "0"].contains(&value.to_lowercase().as_str()))
}
