//! A client of the Model Context Protocol. It connects to a server as a child process or over HTTP, in the revision
//! that the server supports, and lists and uses its tools, resources and prompts.
//!
//! Two eras of the protocol are supported; the era of a server is detected when connecting. The *modern* era
//! (2026-07-28) has no handshake: each request is self-contained, and a server that needs more input answers
//! `input_required`. The *legacy* era (2024-11-05 to 2025-11-25) begins with `initialize`, may have a session, and lets
//! the server send its own requests.
//!
//! The client keeps what other clients hide: every message with its time, notifications in order, and protocol
//! violations of the server that do not prevent an answer.
//!
//! ```no_run
//! # async fn example() -> Result<(), agentci_mcp::McpError> {
//! use std::time::Duration;
//! use agentci_process::ProcessCommand;
//! use agentci_mcp::{ConnectOptions, McpClient, ServerAddress};
//!
//! let server = ServerAddress::Stdio(ProcessCommand { program: "my-server".into(), ..ProcessCommand::default() });
//! let client = McpClient::connect(server, ConnectOptions::default(), Duration::from_secs(30)).await?;
//! let arguments = serde_json::json!({ "a": 2, "b": 3 });
//! let result = client.call_tool("add", &arguments, Vec::new(), Duration::from_secs(10)).await?;
//! assert!(!result.is_error);
//! client.close().await;
//! # Ok(())
//! # }
//! ```

mod auth;
mod client;
mod connect;
mod discovery;
mod error;
mod frame;
#[doc(hidden)]
pub mod fuzzing;
mod http;
mod link;
mod revision;
mod rounds;
mod router;
mod stdio;
mod stream;

pub use agentci_protocols::mcp::{
    AnsweredQuestion, CallResult, Defect, ElicitationAction, ElicitationAnswer, MalformedResultError, McpFault,
    Notification, PartsResult, ServerMessages, text_of_parts,
};
pub use auth::ClientCredentials;
pub use client::{Closing, McpClient};
pub use connect::{ConnectOptions, ServerAddress};
pub use error::McpError;
pub use frame::{Direction, FrameWatch, McpFrame};
pub use http::McpEndpoint;
pub use revision::{Era, ServerFacts};

#[cfg(test)]
mod tests;
