//! An MCP server that is a script: it offers the tools, resources and prompts that the script has, and answers as it says. It
//! speaks the revisions of the protocol with a handshake and the one without, over standard input and output or HTTP.

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
