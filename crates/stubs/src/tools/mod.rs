//! Tools that are executed, in record and live mode.
//!
//! A tool is a command (arguments as JSON on its standard input, the result as JSON on its standard output; or one
//! process for all calls, one line each), an HTTP endpoint, a tool of an MCP server, a function of a Python module, a
//! [`Tool`] of the program that uses this library, or built in. Each call has a timeout, and a failed call is an answer
//! for the agent.

mod builtin;
mod command;
mod http;
mod mcp;
mod module;
mod scripted;
mod toolbox;

pub use command::fill_command;
pub(crate) use http::failure;
pub use scripted::ScriptedTools;
pub use toolbox::{Tool, Toolbox, ToolboxError};
