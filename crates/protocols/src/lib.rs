//! What agents and servers say to each other, read and written without a network, a clock or randomness.
//!
//! Bytes, lines and JSON come in; messages, trace events and requests that are ready to be sent go out. Whoever uses a protocol
//! brings the connection: `agentci-drivers` for agents, `agentci-mcp` for servers of tools.

pub mod a2a;
pub mod agui;
pub mod chat;
mod fields;
pub mod jsonrpc;
pub mod mcp;
pub mod oauth;
mod side_data;
pub mod sse;

pub use fields::{NotAnObjectError, ObjectFields};
pub use side_data::Fresh;
