//! Errors of the client.

use std::fmt::Display;
use std::time::Duration;

use serde_json::Value;

use agentci_process::Exit;
use agentci_protocols::jsonrpc::RpcError;
use agentci_protocols::mcp::{Defect, MalformedResultError};

/// Why a request has no result.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum McpError {
    /// The server's program did not start.
    #[error("{0}")]
    NotStarted(String),
    /// The server's process or its output ended.
    #[error("the server stopped{}{}{}", after(" with ", *exit), after("; ", noise.as_ref()), last_words(stderr_tail))]
    Died {
        /// How the process ended, unless the server only closed its output.
        exit: Option<Exit>,
        /// The last lines of its standard error.
        stderr_tail: Vec<String>,
        /// Output of the server that is not a message, if any.
        noise: Option<Box<Defect>>,
    },
    /// The request timed out.
    #[error("no answer to `{method}` within {} s{}{}", limit.as_secs_f64(), after("; ", noise.as_ref()), last_words(stderr_tail))]
    TimedOut {
        /// The method of the request.
        method: String,
        /// The timeout.
        limit: Duration,
        /// Output of the server that is not a message, if any.
        noise: Option<Box<Defect>>,
        /// The last lines of its standard error, if connecting timed out; later, they are part of [`crate::Closing`].
        stderr_tail: Vec<String>,
    },
    /// The server answered with an error.
    #[error("the server answered with an error: {0}")]
    Rpc(#[from] RpcError),
    /// The server's answer violates the protocol.
    #[error(transparent)]
    Malformed(#[from] MalformedResultError),
    /// The server asked the user a question, and no answer is left.
    #[error("the server asked `{message}`, but no answer is left{}", after("; it expects ", schema.as_ref()))]
    NoAnswer {
        /// The question.
        message: String,
        /// The schema of an answer.
        schema: Option<Value>,
    },
    /// The server requests input that the client does not support.
    #[error("the server requests `{0}` before it answers, which the client does not support")]
    NotOffered(String),
    /// The server supports no protocol version that the client supports.
    #[error("no common protocol version: the server supports {}", if versions.is_empty() { "an unknown version".into() } else { versions.join(", ") })]
    NoCommonVersion {
        /// The versions that the server supports.
        versions: Vec<String>,
    },
    /// The server exceeded a limit.
    #[error("the server sent more than {limit} {what}")]
    TooMuch {
        /// What there is too much of.
        what: &'static str,
        limit: usize,
    },
    /// The HTTP request failed.
    #[error("{0}")]
    Http(String),
    /// The server answered with an HTTP status but no message.
    #[error("the server answered with status {status}{}", after(": ", Some(body).filter(|body| !body.is_empty())))]
    Status {
        status: u16,
        /// The beginning of the body.
        body: String,
    },
    /// The stream ended before the answer.
    #[error("the server's stream ended before its answer")]
    Cut,
    /// There is no access token, or the server rejects it.
    #[error("not authorized: {0}")]
    Unauthorized(String),
    /// The session was lost, and so was the new one.
    #[error("the server no longer recognizes the session")]
    SessionLost,
    /// The client closed the connection.
    #[error("the connection was closed")]
    Closed,
}

impl McpError {
    /// How to fix it, if known.
    pub fn help(&self) -> Option<&'static str> {
        match self {
            McpError::NotStarted(_) => Some("check `command` and that the program is installed"),
            McpError::Died { .. } => Some("run the server's command by hand; its standard error says why it stopped"),
            McpError::TimedOut { noise: Some(_), .. } => {
                Some("a stdio server may write only messages to its standard output; log to standard error")
            }
            McpError::NoAnswer { .. } => Some("add an answer for it to `answers`"),
            McpError::Unauthorized(_) => {
                Some("set a header with credentials, or a client id and secret that the server accepts")
            }
            _ => None,
        }
    }
}

/// An optional value, with a prefix.
fn after(words: &str, known: Option<impl Display>) -> String {
    known.map_or_else(String::new, |known| format!("{words}{known}"))
}

fn last_words(tail: &[String]) -> String {
    after("; stderr: ", tail.iter().rev().find(|line| !line.trim().is_empty()))
}
