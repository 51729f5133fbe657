//! How to reach an agent: a turn goes in, trace events come out.
//!
//! A driver opens a connection to the agent that a [`Target`](agentci_plan::Target) describes, takes turns, and closes. It has no
//! opinion about what the agent does: it writes the trace, asks the [`ToolHost`] for answers to tool calls, and says in a
//! [`DriveError`] when the agent cannot go on.

mod a2a;
mod agui;
mod bounded_file;
pub mod chat;
mod driver;
mod error;
mod host;
mod http;
mod input;
mod mcp;
pub mod mock;
#[doc(hidden)]
pub mod outside;
mod parts;
mod process;
mod seen;
mod sink;
mod stream;
#[cfg(feature = "testing")]
pub mod testing;

pub use chat::{Resources, ScriptedModel};
pub use driver::{Context, Driver, ToolBases, TurnUnderWay};
pub use error::DriveError;
pub(crate) use error::DriveResult;
pub use host::{Answer, Delivery, Reply, ToolHost};
pub use input::Input;
pub use sink::{Stopped, TraceSink};
