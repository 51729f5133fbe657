//! How bytes travel, with no notion of a test: child processes that take all their descendants along when they end, lines
//! with a limit, HTTP, server-sent events, JSON-RPC, and a client of the Model Context Protocol.

#[cfg(not(unix))]
compile_error!("agentci runs on Linux and macOS; it does not run on Windows yet");

mod descendants;
mod fetched;
mod fields;
pub mod guard;
pub mod http;
pub mod jsonrpc;
mod lines;
pub mod mcp;
mod memory;
mod open_files;
mod pipe;
mod process;
mod seldom;
pub mod sse;
mod tail;

pub use descendants::{adopt_orphans, sweep_all};
pub use fetched::FetchedSecrets;
pub use fields::{Fields, NoObject};
pub use lines::{LineError, Lines};
pub use memory::bound_memory;
pub use open_files::open_files_limit;
pub use pipe::write_some;
pub use process::{Command, Ending, Exit, Grace, Pipes, PrintError, Process, SpawnError};
pub use seldom::Seldom;
