//! A server of the Model Context Protocol as what is tested: its tools are called, its resources read, its prompts filled in.
//!
//! An [`Action`](action::McpAction) is what a turn asks for. The [`Server`](server::LazyServer) is reached when the first turn needs it,
//! stays for all turns of the case, and what it makes of an action is [`Told`](action_result::ActionResult): a result or a failure, and all that
//! was heard beside it. That is what a recording keeps, so a replay needs no server.
//!
//! ```text
//! turn ─▶ Action ─▶ Server, or the recording ─▶ Told ─▶ trace
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
