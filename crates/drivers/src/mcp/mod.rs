//! Tests MCP servers: calls tools, reads resources and gets prompts.
//!
//! A turn is an [`McpAction`](action::McpAction). The [`LazyServer`](server::LazyServer) connects with the first turn
//! and stays connected for all turns of the case. The [`ActionResult`](action_result::ActionResult) of an action is a
//! result or a failure, with all notifications. It is what a recording stores, so a replay needs no server.
//!
//! ```text
//! turn ─▶ McpAction ─▶ LazyServer, or the recording ─▶ ActionResult ─▶ trace
//! ```

mod action;
mod action_result;
mod driver;
mod failure;
mod server;
mod snapshot;

pub(crate) use driver::McpDriver;

#[cfg(test)]
mod tests;
