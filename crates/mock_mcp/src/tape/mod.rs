//! What was said to a real MCP server, played again: equal requests get what they got then.

mod play;
mod read;
mod server;
#[cfg(test)]
mod tests;

pub use play::McpTape;
pub use server::McpTapeError;
