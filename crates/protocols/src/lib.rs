//! Reads and writes the protocols of agents and servers, without a network, a clock or randomness.
//!
//! Bytes, lines and JSON go in; messages, trace events and prepared requests come out. The connection is the caller's:
//! `agentci-drivers` for agents, `agentci-mcp` for tool servers.

pub mod a2a;
pub mod agui;
pub mod chat;
mod fields;
pub mod jsonrpc;
pub mod mcp;
pub mod oauth;
mod seen_values;
pub mod sse;

pub use fields::{NotAnObjectError, ObjectFields};
pub use seen_values::SeenValues;
