//! Drivers for agents: a turn goes in, trace events come out.
//!
//! A driver opens a connection to the agent that a [`Target`](agentci_plan::Target) describes, takes turns, and closes
//! it. It does not judge what the agent does: it writes the trace, asks the [`ToolHost`] for tool results, and returns
//! a [`DriveError`] if the agent fails.

mod a2a;
mod agui;
pub mod chat;
mod driver;
mod error;
#[doc(hidden)]
pub mod fuzzing;
mod host;
mod http;
mod input;
mod mcp;
pub mod mock;
mod observer;
mod process;
mod sink;
mod stream;
mod template_parts;
#[cfg(feature = "testing")]
pub mod testing;

pub use chat::Resources;
pub use driver::{Driver, DriverContext, ToolBases, TurnUnderWay};
pub use error::DriveError;
pub(crate) use error::DriveResult;
pub use host::{Delivery, PendingAnswer, ToolHost, ToolReply};
pub use input::Input;
pub use sink::{StoppedError, TraceSink};
