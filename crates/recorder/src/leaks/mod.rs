//! Watches the connections of the agent and its children, and names those that bypass the proxy.
//!
//! In: the process that was started, and the address of the proxy. Out: each program and address that were connected
//! directly. It reads what Linux shows in `/proc`; elsewhere nothing is found.

#[cfg(target_os = "linux")]
mod diag;
mod led;
mod processes;
mod sockets;
#[cfg(test)]
mod tests;
mod watch;

pub(crate) use processes::{Programs, line_of};
pub(crate) use sockets::listening_ports;
pub(crate) use watch::{Found, Watch};
