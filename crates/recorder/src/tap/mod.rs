//! Records and replays MCP servers over standard input and output, with a program between host and server.
//!
//! ```text
//! host ─▶ shim on PATH, or preloaded hook ─▶ `agentci tap` ─▶ server program
//!                                                 └─▶ socket of the session: every line, or the recorded answers
//! ```
//!
//! Hosts pass hardly any variables to a server, but they do pass `PATH`: a tap finds its session through it. It
//! forwards bytes until the first line shows that the program is an MCP server. Each request of the host is then an
//! exchange like those over HTTP: its origin is `stdio:` with the command, its body the message, and its answer all
//! lines that the server sent for it.

mod command;
mod configs;
mod configured_server;
mod folder;
mod forked;
mod host_replies;
mod hub;
mod message;
mod play;
mod process;
mod pump;
mod record;
mod relay;
mod server;
mod tap_protocol;
mod unrecorded_servers;

pub use command::is_stdio;
pub(crate) use command::line;
pub(crate) use configs::configured_servers;
pub(crate) use configured_server::ConfiguredServer;
pub(crate) use folder::Folder;
pub(crate) use hub::{TapRegistry, Taps};
pub(crate) use message::is_aside;
pub use message::messages_in;
pub use process::{TapError, tap};
pub(crate) use pump::opens;
pub(crate) use unrecorded_servers::unreached;
