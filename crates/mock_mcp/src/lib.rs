//! A scripted MCP server: it offers the tools, resources and prompts of a script, or replays a recording. It supports
//! the protocol revisions with a handshake and the one without, over standard input and output or HTTP.

mod answer;
mod client;
mod complete;
mod faults;
mod http;
mod interaction;
mod lists;
mod modern;
mod observer;
mod paused_calls;
mod prompts;
mod resources;
mod schemas;
mod server_state;
mod stdio;
mod tape;
#[cfg(test)]
mod tests;
mod tools;
mod variables;

pub use http::{McpServer, McpServerError, McpServerOptions};
pub use observer::{ServerEvent, ServerWatcher};
pub use server_state::{SchemaError, ServerState};
pub use stdio::serve;
pub use tape::{McpTape, McpTapeError};
