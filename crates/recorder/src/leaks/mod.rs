//! Watches the agent and its children, and names connections that bypass the proxy and MCP servers that bypass the taps.
//!
//! In: the process that was started, and the address of the proxy. Out: each program and address that were connected
//! directly, and each server that was spoken to directly. It reads what Linux shows in `/proc`. Elsewhere only servers
//! in the settings of hosts are found, by what `ps` lists.

mod main_file;
mod process_list;
mod processes;
mod proxied;
mod server_code;
mod servers;
#[cfg(target_os = "linux")]
mod sock_diag;
mod sockets;
mod stdio;
#[cfg(test)]
mod tests;
mod watch;

pub(crate) use processes::{ConnectionPrograms, line_of};
pub(crate) use servers::{KnownServers, Untapped};
pub(crate) use sockets::listening_ports;
pub(crate) use watch::{ConnectionWatch, WatchReport};
