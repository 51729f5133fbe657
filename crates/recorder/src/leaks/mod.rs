//! Watches the agent and its children, and names connections that bypass the proxy and MCP servers that bypass the taps.
//!
//! In: the process that was started, and the address of the proxy. Out: each program and address that were connected
//! directly, and each server that was spoken to directly. It reads what Linux shows in `/proc`. Elsewhere only servers
//! in the settings of hosts are found, by what `ps` lists.

#[cfg(target_os = "linux")]
mod diag;
mod led;
mod listed;
mod main_file;
mod marks;
mod processes;
mod servers;
mod sockets;
mod stdio;
#[cfg(test)]
mod tests;
mod watch;

pub(crate) use processes::{Programs, line_of};
pub(crate) use servers::{KnownServers, Sign, Untapped};
pub(crate) use sockets::listening_ports;
pub(crate) use watch::{Watch, WatchReport};
