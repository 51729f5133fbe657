//! Replays a recording of a real MCP server: equal requests get the recorded answers.

mod play;
mod read;
mod server;
#[cfg(test)]
mod tests;

pub use play::McpTape;
pub use server::McpTapeError;
