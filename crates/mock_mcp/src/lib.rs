//! An MCP server that is a script: it offers the tools, resources and prompts that the script has, and answers as it says. It
//! speaks the revisions of the protocol with a handshake and the one without, over standard input and output or HTTP.

mod answer;
mod client;
mod complete;
mod http;
mod lists;
mod mind;
mod modern;
mod paused;
mod play;
mod prompts;
mod resources;
mod schemas;
mod seen;
mod spoilt;
mod stdio;
mod tape;
#[cfg(test)]
mod tests;
mod tools;
mod variables;

pub use http::{McpServer, ServerError, ServerOptions};
pub use mind::{Mind, SchemaError};
pub use seen::{Seen, Watcher};
pub use stdio::serve;
pub use tape::{Tape, TapeError};
