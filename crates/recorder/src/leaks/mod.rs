//! Watches the agent and its children, and reports connections that bypass the proxy and MCP servers that bypass the
//! taps.
//!
//! Reports each program with the address it connected to directly, and each MCP server that the agent talked to
//! directly. Reads `/proc` on Linux. Other systems only find servers that are in the settings of hosts, using the
//! output of `ps`.

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
pub(crate) use servers::{KnownServers, UntappedServer};
pub(crate) use sockets::listening_ports;
pub(crate) use watch::{ConnectionWatch, WatchReport};
